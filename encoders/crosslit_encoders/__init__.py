"""Pure functions from a puzzle to a formula, one module for each family of encodings.

A module here imports an engine only to build that engine's model. The registry finds encodings through the entry point
group ``crosslit.encoders``.
"""
