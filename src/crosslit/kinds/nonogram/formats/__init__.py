"""File formats of nonograms, one module for each."""
