"""Values that every other part uses: errors, numbers, grids, records, tables, files and the shapes of pictures.

This package must not know any puzzle, solver or format.
"""
