"""Statistics of a campaign's times, as data: scores, paired tests, growth with size, correlations.

Pure functions on `crosslit.campaigns.results.table.Table`, one for each fact; `analysis.analyse` calls all of them.
Disqualified contestants are not ranked (`Table.ranked`), and timeouts are censored values, never dropped. Must not
word, draw, or read a file. Raises `Unavailable` without SciPy.
"""
