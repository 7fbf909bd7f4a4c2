"""Raw output of the commands that a run starts, kept in files on request."""

from __future__ import annotations

import contextlib
from pathlib import Path

MAX_OUTPUT_BYTES = 1 << 20  # for each stream of a run
_CUT = b"\n[cut here]\n"


class OutputFiles:
    """The files of one run, ``PREFIX.stdout`` and ``PREFIX.stderr``; a stream without output has no file."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._sizes: dict[str, int] = {}

    def add(self, stream: str, data: bytes) -> None:
        """Append output of a command, up to `MAX_OUTPUT_BYTES`; a file that cannot be written is left out."""
        size = self._sizes.get(stream, 0)
        if not data or size > MAX_OUTPUT_BYTES:
            return
        self._sizes[stream] = size + len(data)
        # A solver that prints its search could fill the disk in a campaign of thousands of runs.
        kept = data[: MAX_OUTPUT_BYTES - size]
        # the first piece replaces the output of an earlier attempt at the run; a full disk is no fault of the backend
        with contextlib.suppress(OSError), Path(f"{self._prefix}.{stream}").open("ab" if size else "wb") as file:
            file.write(kept if len(kept) == len(data) else kept + _CUT)
