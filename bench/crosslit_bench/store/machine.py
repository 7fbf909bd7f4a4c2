"""Facts about this machine from /proc and /sys, for the records of runs."""

from __future__ import annotations

import functools
import os
import platform
import re
from pathlib import Path

CONTAINER = "CROSSLIT_CONTAINER"
"""The environment variable for the digest of the container's image, which most containers cannot find out."""

_CPU = Path("/sys/devices/system/cpu/cpu0/cpufreq")
_PODMAN = Path("/run/.containerenv")
_MARKS = {"/.dockerenv": "docker", "/run/.containerenv": "podman", "/.singularity.d": "apptainer"}
_MAX_BYTES = 1 << 20  # a file of the kernel has no size, so reading needs a limit


@functools.cache
def processor() -> str:
    """Return the model of the processor, or its architecture if the model is unknown."""
    return _first(Path("/proc/cpuinfo"), r"model name\s*: *(.*)") or platform.processor() or platform.machine()


@functools.cache
def clock_mhz() -> float:
    """Return the maximum clock rate of the first processor in MHz, or else its current one; 0 if both are unknown."""
    highest = _text(_CPU / "cpuinfo_max_freq").strip()  # in kHz
    if highest.isdecimal():
        return int(highest) / 1000
    return float(_first(Path("/proc/cpuinfo"), r"cpu MHz\s*: *([0-9]+\.?[0-9]*)") or 0)


def governor() -> str:
    """Return the frequency governor of the first processor, such as ``performance``; empty if there is none."""
    return _text(_CPU / "scaling_governor").strip()


@functools.cache
def memory_mb() -> float:
    """Return the memory of the machine in units of 2^20 bytes; 0 if unknown."""
    return float(_first(Path("/proc/meminfo"), r"MemTotal: *([0-9]+) kB") or 0) / 1024


@functools.cache
def container() -> str:
    """Return the digest of the container's image, or the kind of container; empty outside a container."""
    given = os.environ.get(CONTAINER, "").strip() or _first(_PODMAN, r'imageid="(\w+)"')
    return given or next((kind for mark, kind in _MARKS.items() if os.path.exists(mark)), "")


def _first(path: Path, pattern: str) -> str:
    found = re.search(f"^{pattern}$", _text(path), re.MULTILINE)
    return found[1].strip() if found else ""


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return ""
