"""The registered backends and encodings, the meaning of specs, and the default backends of each question.

Plugins are found by entry points and imported when used. This package must not import an engine, or start a run.
"""

from crosslit.registry.specs import (
    BACKENDS,
    ENCODERS,
    Choice,
    add,
    all_backends,
    all_encodings,
    all_groups,
    defined,
    forget,
    kinds,
    questions,
    select,
    select_one,
)

__all__ = [
    "BACKENDS",
    "ENCODERS",
    "Choice",
    "add",
    "all_backends",
    "all_encodings",
    "all_groups",
    "defined",
    "forget",
    "kinds",
    "questions",
    "select",
    "select_one",
]
