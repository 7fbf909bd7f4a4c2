"""Statistics of a campaign's times, as data: scores, paired tests, growth with size, correlations.

Pure functions on `crosslit.campaigns.results.table.Table`, one per statistic; `analysis.analyse` calls all of them.
Disqualified contestants are not ranked (`Table.ranked`), and timeouts are censored values, never dropped. Must not
write prose, draw, or read a file. Raises `Unavailable` without SciPy.
"""
