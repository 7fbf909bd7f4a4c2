"""The questions about a puzzle, one module each: the runs that answer it, and the conclusion from them.

The command line and the Python API call the same functions. Must not print, or format results for people.
"""
