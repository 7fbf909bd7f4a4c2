"""The questions that can be asked about a puzzle, one module each: the runs to make, and what follows from them.

The command line and the Python API call the same functions. Must not word or print anything.
"""
