"""Encodings of coloured nonograms."""
