"""Native solvers of Lights Out."""
