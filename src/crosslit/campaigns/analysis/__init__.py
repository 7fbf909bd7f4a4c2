"""Statistics of a campaign's times: scores, paired tests, growth with size, correlations, and sentences about them.

Pure functions on `crosslit.campaigns.results.table.Table`; disqualified contestants are not ranked (`Table.ranked`),
and timeouts are censored values, never dropped. Must not draw, or read a file. `pairs`, `growth` and `correlation`
raise `Unavailable` without SciPy; `scores` and `bootstrap` need only numpy.
"""
