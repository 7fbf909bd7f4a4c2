"""Imported before the clock of a run starts: it loads the compiled kernel, which takes as long as an easy puzzle."""

from __future__ import annotations

from crosslit_backends import compiled
from crosslit_backends.nonogram import line_kernel

if not compiled.missing():
    line_kernel.library()
