"""HTML pages to play puzzles on: one self-contained file, without network or framework.

`document` gathers the data of puzzles and writes the file, `story` records the steps of solvers. This package must not
trust the data it embeds: only the page's own scripts run.
"""
