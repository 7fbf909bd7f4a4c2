"""The compiled kernel: its sources in C, and the library that the installation compiled if it could.

`hatch_build.py` compiles them. This package must not solve: `crosslit_backends.nonogram.line_kernel` and
`crosslit_backends.lights_out.first_rows` call the library.
"""

from __future__ import annotations

import functools
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_HOME = Path(__file__).parent
_LIBRARY = _HOME / "_kernel.so"


@functools.cache
def missing() -> str:
    """Return why the library cannot be used, such as ``CROSSLIT_KERNEL=0`` in the environment; empty if it can."""
    if os.environ.get("CROSSLIT_KERNEL") == "0":
        return "switched off by CROSSLIT_KERNEL=0"
    try:
        state = (_HOME / "_kernel.txt").read_text(encoding="utf-8").strip()
    except OSError:
        return "not compiled: install Crosslit again"
    if not state.startswith("built "):
        return state
    sources = b"".join(source.read_bytes() for source in sorted(_HOME.glob("*.[ch]")))
    try:  # loading a truncated library would crash the process
        library = zlib.crc32(_LIBRARY.read_bytes())
    except OSError as error:
        return f"{_LIBRARY}: {error.strerror}"
    if state != f"built {zlib.crc32(sources):08x} {library:08x}":
        return "the library is damaged or older than its sources: install Crosslit again"
    return ""


@functools.cache
def load() -> ctypes.CDLL:
    """Load the library."""
    import ctypes

    return ctypes.CDLL(str(_LIBRARY))
