"""The contract between Crosslit and its plugins: interfaces of kinds, backends and encodings, and the task of a run.

The core of a backend is one method: an iterator over solutions whose end claims that there are no more. Solving takes
one solution, testing uniqueness two, enumeration all; a puzzle is unsolvable if the iterator ends at once. A backend
that must stop without that claim raises `GaveUp`; a bare return *is* the claim. This package must not know any backend,
encoding or question's answer.

Each question is a method that a backend has or lacks: ``solutions``; for Lights Out ``fewest``, which yields solutions
of ever fewer presses and whose end claims that the last has the fewest; and ``count`` and ``mus``, described in
`crosslit.contract.backend`. Everything except the answer goes through the caller's `Task`.
"""

from crosslit.base.errors import ContractError, GaveUp, Unavailable
from crosslit.contract.backend import (
    FAULTY,
    NO_PRESSES,
    PARAMETER,
    PHASES,
    TARGETS,
    UNKNOWN,
    Backend,
    Clock,
    Encoded,
    Encoding,
    MakesCommands,
    Option,
    Options,
    Phase,
    QuestionName,
    ReadsModels,
    Task,
    Trace,
    are_independent,
    dependence,
    no_time,
)
from crosslit.contract.certificate import (
    CLAIMS,
    ENCODER,
    MAX_CHARACTERS,
    VERSION,
    Certificate,
    Certified,
    CheckResult,
    Claim,
    UnreadableCertificate,
)
from crosslit.contract.run import (
    COUNT,
    FEWEST,
    MUS,
    QUESTIONS,
    SOLUTIONS,
    Question,
    answer_layout,
)

__all__ = [
    "CLAIMS",
    "COUNT",
    "ENCODER",
    "FAULTY",
    "FEWEST",
    "MAX_CHARACTERS",
    "MUS",
    "NO_PRESSES",
    "PARAMETER",
    "PHASES",
    "QUESTIONS",
    "SOLUTIONS",
    "TARGETS",
    "UNKNOWN",
    "VERSION",
    "Backend",
    "Certificate",
    "Certified",
    "CheckResult",
    "Claim",
    "Clock",
    "ContractError",
    "Encoded",
    "Encoding",
    "GaveUp",
    "MakesCommands",
    "Option",
    "Options",
    "Phase",
    "Question",
    "QuestionName",
    "ReadsModels",
    "Task",
    "Trace",
    "Unavailable",
    "UnreadableCertificate",
    "answer_layout",
    "are_independent",
    "dependence",
    "no_time",
]
