"""The POSIX modules that isolated processes need, or a clear error on systems without them, such as Windows."""

from crosslit.errors import Unavailable

try:
    import fcntl
    import resource
except ImportError:
    raise Unavailable(
        "isolated runs need fcntl and resource, which this system lacks: they work on Linux and macOS, and on Windows "
        "under WSL; without them, crosslit.solve and .solutions work in Python, and the commands show, convert, "
        "encode and size"
    ) from None

__all__ = ["fcntl", "resource"]
