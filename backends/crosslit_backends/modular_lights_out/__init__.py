"""Native solvers of Lights Out with k states."""
