"""Encodings of Lights Out."""
