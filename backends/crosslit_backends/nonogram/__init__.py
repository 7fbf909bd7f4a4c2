"""Native solvers of nonograms."""
