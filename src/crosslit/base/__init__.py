"""Values that every other part uses: errors, numbers, grids, records, tables and files.

This package must not know any puzzle, solver or format.
"""
