"""HTML pages to play puzzles on: one self-contained file, without network or framework.

`record` gathers the solutions of a puzzle or the reason why there is none, `story` the steps of solvers, and `document`
writes the file. This package must not trust the data it embeds: only the page's own scripts run.
"""
