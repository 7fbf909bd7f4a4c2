"""The questions about a puzzle: the runs that answer each, the conclusion from them, and a comparison as text.

The command line and the Python API call the same functions. Those that return raw answers of one backend (`solve`,
`solutions`, `fewest`, `batches`) run it in this process, without limits; those that return a judged result, with
evidence and findings, run each backend in a separate process, under limits. This package must not print.
"""
