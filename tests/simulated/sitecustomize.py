"""An interpreter that lacks what Python lacks on another system, as far as this can be imitated on Linux.

Python loads this module at its start if this folder is on PYTHONPATH, so the processes that a command starts are
imitated too. The system is that of the variable CROSSLIT_TEST_SYSTEM.
"""

import asyncio
import ctypes
import importlib
import multiprocessing.connection
import os
import platform
import selectors
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
import webbrowser
import zipfile
from contextlib import suppress

# These decide at their import on which system they are; the others are loaded by the ones above.
_LOADED = (asyncio, ctypes, multiprocessing.connection, platform, selectors, shutil, subprocess, tempfile, webbrowser)
_LOADED += (urllib.request, zipfile, sysconfig.get_config_vars())
for _name in ("click._compat", "click._termui_impl", "click.testing", "http.server", "psutil"):
    with suppress(ImportError):
        importlib.import_module(_name)

_ONLY_LINUX = {
    "os": "copy_file_range eventfd getrandom getresgid getresuid memfd_create pidfd_open pipe2 posix_fadvise "
    "posix_fallocate sched_getaffinity sched_setaffinity setns splice unshare",
    "signal": "SIGCLD SIGPOLL SIGPWR SIGRTMAX SIGRTMIN SIGSTKFLT sigtimedwait sigwaitinfo",
    "select": "epoll",
    "socket": "MSG_CMSG_CLOEXEC SOCK_CLOEXEC SOCK_NONBLOCK",
    "fcntl": "F_GETPIPE_SZ F_SETPIPE_SZ",
    "resource": "prlimit",
}
_NEVER_ON_MAC_BEFORE_3_13 = {"os": "P_ALL P_PGID P_PID WEXITED WNOWAIT WSTOPPED waitid"}
_NEVER_ON_WINDOWS = {
    "os": "WNOHANG chown confstr fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getsid "
    "getuid killpg mkfifo mknod nice openpty pread preadv pwrite readv register_at_fork sched_yield setgid setpgid "
    "setsid setuid statvfs sysconf tcgetpgrp uname wait wait3 wait4 writev",
    "signal": "SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGSYS SIGTRAP "
    "SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_BLOCK SIG_SETMASK "
    "SIG_UNBLOCK alarm getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigwait",
    "select": "poll",
    "socket": "AF_UNIX recv_fds send_fds",
}
_LACKING = {
    "windows": ("win32", "fcntl grp pty pwd resource termios tty", [_NEVER_ON_WINDOWS, _NEVER_ON_MAC_BEFORE_3_13]),
    "macos-3.12": ("darwin", "", [_NEVER_ON_MAC_BEFORE_3_13]),
    "macos-3.13": ("darwin", "", []),
}


def become(system: str) -> None:
    name, modules, tables = _LACKING[system]
    for table in (_ONLY_LINUX, *tables):
        for module, names in table.items():
            for attribute in names.split():
                with suppress(AttributeError, ImportError):
                    delattr(importlib.import_module(module), attribute)
    for module in modules.split():
        sys.modules[module] = None  # type: ignore[assignment]
    selectors.DefaultSelector = selectors.SelectSelector  # type: ignore[misc]
    sys.platform = name
    sys.addaudithook(_hide)
    os.stat = _hidden_stat(os.stat)


def _is_hidden(path: object) -> bool:
    if not isinstance(path, str | bytes | os.PathLike) or not os.fsencode(path).startswith(
        (b"/proc", b"/dev/shm", b"/sys/")
    ):
        return False
    # psutil has its own ways on every system; here they lead through these files.
    return not str(sys._getframe(2).f_globals.get("__name__")).startswith("psutil")


def _hide(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and _is_hidden(arguments[0]):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])


def _hidden_stat(stat):  # type: ignore[no-untyped-def]
    def hidden(path, *arguments, **options):  # type: ignore[no-untyped-def]
        if _is_hidden(path):
            raise FileNotFoundError(2, "No such file or directory", path)
        return stat(path, *arguments, **options)

    return hidden


if system := os.environ.get("CROSSLIT_TEST_SYSTEM"):
    become(system)
