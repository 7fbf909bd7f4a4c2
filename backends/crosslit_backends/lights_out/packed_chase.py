"""The chase by the compiled kernel, on packed cells: for large boards that are not stored as rows."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import Any

from crosslit.grid import Grid
from crosslit_backends import compiled

MIN_CELLS = 1_000_000
"""Cells of the smallest board that is worth loading the library."""


def is_used(lit: Grid) -> bool:
    """Return whether the kernel chases this board; `crosslit.kinds.lights_out.chase` does it otherwise."""
    large = lit.rows * lit.columns >= MIN_CELLS
    return large and not lit.has_rows and sys.byteorder == "little" and not compiled.missing()


def packed_chase(lit: Grid, first: int, stay: bool, keep: bool = True) -> tuple[bytes, int]:
    """Return what `chase` does, the presses packed; without ``keep`` only the lights left in the last row."""
    from ctypes import byref, c_bool, c_char, c_char_p, c_int64

    def shared(buffer: bytearray | memoryview) -> Any:
        return byref((c_char * len(buffer)).from_buffer(buffer))

    size = lit.columns // 64 * 8 + 16
    above, row = bytearray(size), bytearray(first.to_bytes(size, "little"))
    presses = BytesIO(bytes(len(lit.packed) if keep else 0))  # gives its buffer away without a copy
    compiled.load().crosslit_chase(
        *(c_char_p(lit.packed), c_int64(lit.rows), c_int64(lit.columns), c_bool(stay)),
        *(shared(above), shared(row), shared(presses.getbuffer()) if keep else None),
    )
    return presses.getvalue(), int.from_bytes(row, "little")
