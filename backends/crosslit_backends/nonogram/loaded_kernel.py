"""Imported before the clock of a run starts: it loads the compiled kernel, which takes as long as an easy puzzle."""

from __future__ import annotations

from contextlib import suppress

from crosslit_backends import compiled
from crosslit_backends.nonogram import kernel

if not compiled.missing():
    with suppress(OSError):  # a run reports it
        kernel.library()
