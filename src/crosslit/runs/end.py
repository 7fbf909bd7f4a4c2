"""The last message of a run, with one strict definition for writing and reading it.

A backend sets some of its fields, and could write to the pipe itself. So the run checks the message before sending it,
and the parent process checks it on arrival. No other data of a run becomes a float, a file or output.
"""

from __future__ import annotations

import json
import reprlib
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crosslit.contract import PHASES, ContractError, GaveUp, Phase, no_time
from crosslit.errors import CertificateRejected, InternalError, OneFound
from crosslit.runs.run import MAX_SECONDS, RunStatus

MAX_END = 1 << 20  # maximum bytes, plus a quarter of the cells for the hexadecimal digits of a count
MAX_THREADS = 1024
MAX_WORDS = 10_000  # maximum characters of a reason, or of one statistic
MAX_MOMENT = 1e12  # maximum value of `time.monotonic`
# Up to here a float holds every whole number, and so does any reader of JSON.
_MAX_NUMBER = 1 << 53  # maximum value of a statistic; `numbers.exact` writes larger ones in words

# Only the server can know of a timeout or a kill, and only the parent process of an interrupt or a lost run.
_CLAIMS = frozenset({"complete", "limit", "one found", "gave-up", "memory", "error", "unsupported"})


@dataclass(frozen=True)
class End:
    """The last message of a run."""

    status: RunStatus  # one that a run can know
    reason: str = ""  # why, if the status does not say it
    counted: int | None = None  # the number of solutions counted; None unless requested
    stats: dict[str, Any] = field(default_factory=dict)  # whole numbers up to 2^53, finite ones, words, {"log2": k}
    threads: int = 1  # on which it computed, from 1 to `MAX_THREADS`
    phases: dict[Phase, float] = field(default_factory=no_time)  # seconds in each phase
    waited: float = 0.0  # seconds in which the backend waited while solutions and other frames were written
    began: float = 0.0  # when its clock was started (`time.monotonic`)
    ended: float = 0.0  # when it wrote this message
    tally: str = ""  # the answers that it sent, see `crosslit.runs.wire.Tally`

    def pack(self, cells: int) -> bytes:
        """Return it as the payload of a frame; a ValueError says what `unpack` would not accept.

        A count is at most 2^cells, see `crosslit.runs.job.Job.cells_to_count`.
        """
        counted = None if self.counted is None else hex(self.counted)  # unlike decimal digits, without a limit
        payload = json.dumps({**asdict(self), "counted": counted}).encode()
        if len(payload) > (max_bytes := MAX_END + cells // 4):
            raise ValueError(f"{len(payload)} bytes of statistics where at most {max_bytes} fit")
        # The run checks with the same function as the parent, so a backend's mistake is reported as an error of the
        # backend, and not as rubbish in its pipe.
        self.unpack(payload, cells)
        return payload

    @classmethod
    def unpack(cls, payload: bytes, cells: int) -> End:
        """Return the end in a payload, which may be any bytes; a ValueError says what is invalid."""
        try:
            record = json.loads(payload)  # NaN and infinities are rejected below, with the name of their field
        except (ValueError, RecursionError):
            raise ValueError("an end that is not JSON") from None
        # Exactly these fields: an unknown one could only come from something other than `pack`.
        if not isinstance(record, dict) or record.keys() != cls.__dataclass_fields__.keys():
            raise ValueError("an end with other fields than it must have")
        if not isinstance(record["status"], str) or record["status"] not in _CLAIMS:
            raise unfit("the status", record["status"], f"one of {', '.join(sorted(_CLAIMS))}")
        stats, phases, threads = record["stats"], record["phases"], record["threads"]
        if not isinstance(stats, dict):
            raise unfit("stats", stats, "an object")
        if not isinstance(phases, dict) or phases.keys() != set(PHASES):
            raise unfit("phases", phases, f"seconds of {', '.join(PHASES)}")
        # `type` and not `isinstance`, which accepts True.
        if type(threads) is not int or not 1 <= threads <= MAX_THREADS:
            raise unfit("threads", threads, f"a whole number from 1 to {MAX_THREADS}")
        return cls(
            record["status"],  # type: ignore[arg-type]
            _words("the reason", record["reason"]),
            _count(record["counted"], cells),
            {_words("a name", key): _statistic(value) for key, value in stats.items()},
            threads,
            {phase: checked("seconds", phases[phase], MAX_SECONDS) for phase in PHASES},
            checked("seconds", record["waited"], MAX_SECONDS),
            checked("a moment", record["began"], MAX_MOMENT),
            checked("a moment", record["ended"], MAX_MOMENT),
            _words("the tally", record["tally"]),
        )


def failure(error: Exception) -> tuple[RunStatus, str]:
    """Return the status of a run that an exception has ended, and the reason."""
    match error:
        case GaveUp() | CertificateRejected() | InternalError():  # none is a mistake of the backend
            return "one found" if isinstance(error, OneFound) else "gave-up", str(error)
        case MemoryError():
            # The memory limit is polled and raises nothing: this allocation was larger than the system grants.
            return "memory", "the allocation failed"
        case ImportError():
            return "unsupported", f"cannot be imported: {error}"
        case ContractError():
            return "error", str(error)
    return "error", f"{type(error).__name__}: {error}{_place(error)}"


def _place(error: Exception) -> str:
    """Return the place in the code where an error was raised."""
    trace = error.__traceback__
    # The innermost frame: the outer ones are Crosslit's for every run.
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""


def unfit(name: str, value: object, due: str) -> ValueError:
    """Return the error for a value that is not as expected."""
    # reprlib, because repr may fail on deeply nested or very long values
    return ValueError(f"{name} {reprlib.repr(value)} where {due} is expected")


def checked(name: str, value: object, maximum: float) -> float:
    """Return a number from 0 to ``maximum``, or raise a ValueError with its name."""
    # one comparison rejects NaN and infinities too, and accepts whole numbers too large for a float
    if type(value) not in (int, float) or not 0 <= value <= maximum:  # type: ignore[operator]
        raise unfit(name, value, f"a number from 0 to {maximum:.0e}")
    return float(value)  # type: ignore[arg-type]


def _words(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_WORDS:
        raise unfit(name, value, f"text of at most {MAX_WORDS} characters")
    return value.encode(errors="replace").decode()  # the name of a file in it may not be valid text


def _count(value: object, cells: int) -> int | None:
    if value is None:
        return None
    try:
        # Hexadecimal takes linear time. Decimal takes quadratic time, and Python refuses more than 4,300 digits.
        number = int(value, 16)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number <= 1 << cells:
        raise unfit("the count", value, f"a whole number from 0 to 2^{cells}")
    return int(number)


def _statistic(value: object) -> int | float | str | dict[str, int] | None:
    if isinstance(value, str):
        return _words("a statistic", value)
    if isinstance(value, dict) and value.keys() == {"log2"}:
        return {"log2": int(checked("log2", value["log2"], _MAX_NUMBER))}
    if value is None or (isinstance(value, int) and abs(value) <= _MAX_NUMBER):
        return value
    if isinstance(value, float) and abs(value) <= sys.float_info.max:
        return value
    raise unfit("the statistic", value, "text or a finite number")
