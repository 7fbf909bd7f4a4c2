"""Encodings of nonograms."""
