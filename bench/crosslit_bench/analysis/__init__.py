"""Statistics of a campaign's times, as data: scores, paired tests, growth with size.

Each statistic is a pure function of a `crosslit_bench.results.frame.TimeTable`; `tables.analyse` calls all of them.
Disqualified contestants are not ranked (`TimeTable.ranked`), and timeouts are censored values, never dropped. This
package must not write prose, draw, or read a file. Without pandas or SciPy, the functions raise `Unavailable`.
"""
