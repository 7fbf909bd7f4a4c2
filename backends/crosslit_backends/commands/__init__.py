"""Solvers that are commands: SAT solvers that read DIMACS, and programs that read puzzles."""
