"""Native solvers of coloured nonograms."""
