"""What a campaign's times say: scores, pairs, growth with size, correlations, and all of it in sentences.

Pure functions on `crosslit.campaigns.results.table.Table`. All rankings leave out who is disqualified
(`Table.ranked`); time limits that were hit are censored values, inf, and never dropped. What needs SciPy (the tests of
`pairs`, `growth`, `correlation`) raises `Unavailable` without it; `scores` and `bootstrap` need only numpy.
"""
