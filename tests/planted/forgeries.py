"""Invalid data for the pipe of a run, by name: ends and other frames of a run of a puzzle of one cell."""

from __future__ import annotations

import json

from crosslit.contract import PHASES
from crosslit.runs import wire

GOOD = {
    "status": "complete",
    "reason": "",
    "counted": None,
    "stats": {},
    "threads": 1,
    "phases": dict.fromkeys(PHASES, 0.0),
    "waited": 0.0,
    "began": 0.0,
    "ended": 0.0,
}


def end(**changes: object) -> bytes:
    """The payload of an end that is valid except for some fields."""
    return json.dumps({**GOOD, **changes}).encode()


def _phases(seconds: float) -> dict[str, float]:
    return {**dict.fromkeys(PHASES, 0.0), "solve": seconds}


ENDS = {
    "no-object": b"[]",
    "no-fields": b"{}",
    "no-json": b"{",
    "no-text": b"\xff\xfe\xff",
    "deep": b"[" * 200_000,
    "deep-field": end(threads=0).replace(b'"threads": 0', b'"threads": ' + b"[" * 400 + b"]" * 400),
    "long": b"[" + b"[]," * 500_000 + b"[]]",
    "one-field-more": end(more=1),
    "status-list": end(status=["x"]),
    "status-words": end(status="certified <script>alert(1)</script>"),
    "status-timeout": end(status="timeout"),
    "status-interrupted": end(status="interrupted"),
    "status-lost": end(status="lost"),
    "reason-number": end(reason=1),
    "reason-long": end(reason="x" * 10_001),
    "counted-words": end(counted="zz"),
    "counted-number": end(counted=1),
    "counted-negative": end(counted="-1"),
    "counted-many": end(counted=hex(3)),
    "stats-list": end(stats=[1]),
    "stats-nan": end(stats={"x": float("nan")}),
    "stats-infinite": end(stats={"x": 1}).replace(b'"x": 1', b'"x": -1e999'),
    "stats-huge": end(stats={"x": 10**400}),
    "stats-nested": end(stats={"x": {"y": 1}}),
    "stats-power": end(stats={"x": {"log2": -1}}),
    "stats-long": end(stats={"x": "y" * 10_001}),
    "stats-long-name": end(stats={"x" * 10_001: 1}),
    "threads-zero": end(threads=0),
    "threads-huge": end(threads=10**400),
    "threads-endless": end(threads=1).replace(b'"threads": 1', b'"threads": ' + b"9" * 5000),
    "threads-fraction": end(threads=1.5),
    "threads-true": end(threads=True),
    "phases-words": end(phases="abc"),
    "phases-none": end(phases={}),
    "phases-nan": end(phases=_phases(float("nan"))),
    "phases-infinite": end(phases=_phases(float("inf"))),
    "phases-negative": end(phases=_phases(-1)),
    "phases-long": end(phases=_phases(10**400)),
    "waited-nan": end(waited=float("nan")),
    "waited-words": end(waited="x"),
    "began-words": end(began="x"),
    "began-nan": end(began=float("nan")),
    "ended-huge": end(ended=1e300),
}
"""Invalid fields of an end frame, by name, if the solutions of the puzzle are not counted."""


def _progress(seconds: float = 0.0, phase: int = 2, moment: float = 1.0) -> bytes:
    return wire.PROGRESS_FORM.pack(phase, moment, seconds, 0.0, 0.0, 0.0)


FRAMES = {
    "unknown": (b"Z", b""),
    "progress-nan": (wire.PROGRESS, _progress(float("nan"))),
    "progress-infinite": (wire.PROGRESS, _progress(float("inf"))),
    "progress-negative": (wire.PROGRESS, _progress(-1.0)),
    "progress-phase": (wire.PROGRESS, _progress(phase=4)),
    "progress-moment": (wire.PROGRESS, _progress(moment=float("nan"))),
    "progress-short": (wire.PROGRESS, _progress()[:-1]),
    "bound-large": (wire.BOUND, _progress() + b"\xff" * 8),
    "bound-short": (wire.BOUND, _progress() + b"1"),
    "step-short": (wire.STEP, _progress() + b"1"),
    "solution-long": (wire.SOLUTIONS, _progress() + b"12"),
    "solution-short": (wire.SOLUTIONS, _progress()),
    "solution-bits": (wire.SOLUTIONS, _progress() + b"\xff"),
    "text": (wire.TEXT, _progress() + b"words"),
    "after-end": (wire.END, end() + wire.HEADER.pack(wire.PROGRESS, 41) + _progress()),
}
"""Invalid frames of a run of a puzzle of one cell, by name: letter and payload."""


def frame(letter: bytes, payload: bytes) -> bytes:
    """A frame as it stands in the pipe; one with more behind its end has the length of that end."""
    length = len(end()) if payload.startswith(end()) else len(payload)
    return wire.HEADER.pack(letter, length) + payload


FORGERIES = {
    **{f"end-{name}": frame(wire.END, payload) for name, payload in ENDS.items()},
    **{name: frame(*content) for name, content in FRAMES.items()},
}
