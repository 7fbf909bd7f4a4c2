"""What a campaign's times say: scores, pairs, growth with size, correlations, and all of it in sentences.

Pure functions on `crosslit.campaigns.table.Table`. All that rank leave out who is disqualified (`Table.ranked`) by
themselves; time limits that were hit are censored values, inf, and never dropped. What needs SciPy (the tests of
`pairs`, `growth`, `correlation`) raises `Unavailable` without; `scoring` and `resampling` need numpy alone.
"""
