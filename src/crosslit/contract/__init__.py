"""The contract between Crosslit and its plugins: the interfaces of backends and encodings, and the task of a run.

A backend has one capability at its core: an iterator over solutions whose exhaustion claims that there are no more. To
solve is to take one, to ask for uniqueness is to take two, to enumerate is to take all, and a puzzle is unsolvable
when the iterator is exhausted at once. A backend that must stop without that claim raises `GaveUp`; a bare return *is*
the claim. Must not know any backend, encoding or question's answer.

Questions are methods, present or absent: ``solutions``; for Lights Out ``fewest``, solutions of ever fewer presses,
whose exhaustion claims that the last one has the fewest; and ``count``, ``backbone``, ``reveal`` and ``mus``, which
`crosslit.contract.backend` describes. Everything except the answer flows through the `Task` that the caller made.
"""

from crosslit.contract.backend import (
    NO_PRESSES,
    UNKNOWN,
    AnswersBackbone,
    AnswersBatches,
    AnswersCount,
    AnswersFewest,
    AnswersMus,
    AnswersReveal,
    AnswersSolutions,
    Backend,
    Certifies,
    MakesCommands,
    are_independent,
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
from crosslit.contract.encoding import TARGETS, Encoded, Encoding, ReadsModels
from crosslit.contract.question import (
    BACKBONE,
    COUNT,
    FEWEST,
    MUS,
    REVEAL,
    SOLUTIONS,
    Question,
    all_questions,
    answer_shape,
    find_question,
)
from crosslit.contract.task import PHASES, Clock, Option, Options, Phase, QuestionName, Task, Trace, no_time
from crosslit.errors import ContractError, GaveUp, Unavailable

__all__ = [
    "BACKBONE",
    "CLAIMS",
    "COUNT",
    "ENCODER",
    "FEWEST",
    "MAX_CHARACTERS",
    "MUS",
    "NO_PRESSES",
    "PHASES",
    "REVEAL",
    "SOLUTIONS",
    "TARGETS",
    "UNKNOWN",
    "VERSION",
    "AnswersBackbone",
    "AnswersBatches",
    "AnswersCount",
    "AnswersFewest",
    "AnswersMus",
    "AnswersReveal",
    "AnswersSolutions",
    "Backend",
    "Certificate",
    "Certified",
    "Certifies",
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
    "all_questions",
    "answer_shape",
    "are_independent",
    "find_question",
    "no_time",
]
