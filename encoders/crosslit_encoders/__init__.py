"""The encoders: pure functions from a puzzle to a formula, one module for each family of encodings.

They import no engine but to build its model, and are found through the entry point group ``crosslit.encoders``.
"""
