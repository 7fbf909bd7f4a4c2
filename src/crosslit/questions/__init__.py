"""The questions about a puzzle: the runs that answer each, the conclusion from them, and a comparison as text.

The command line and the Python API call the same functions. One rule decides where backends run: a function that
returns raw answers of one backend (`solve`, `solutions`, `fewest`, `batches`) runs it in this process, without
limits; a function that returns a judged result, with evidence and findings (`compare`, `count`,
`explain`, `audit`, `ask`, a listing), runs each backend in a separate process, under limits. This package must not
print.
"""
