"""The registered backends and encodings, what a spec means, and which backend answers when none is named.

Must not import an engine, or run anything.
"""

from crosslit.registry.specs import (
    BACKENDS,
    COMMANDS,
    ENCODERS,
    Choice,
    add,
    all_backends,
    all_encodings,
    all_groups,
    configure,
    defined,
    forget,
    is_name,
    load_commands,
    questions,
    select,
    select_one,
)

__all__ = [
    "BACKENDS",
    "COMMANDS",
    "ENCODERS",
    "Choice",
    "add",
    "all_backends",
    "all_encodings",
    "all_groups",
    "configure",
    "defined",
    "forget",
    "is_name",
    "load_commands",
    "questions",
    "select",
    "select_one",
]
