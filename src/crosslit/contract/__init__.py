"""The contract between Crosslit and its plugins: interfaces of kinds, backends and encodings, and the task of a run.

The core of a backend is one method: an iterator over solutions whose end claims that there are no more. Solving takes
one solution, testing uniqueness two, enumeration all; a puzzle is unsolvable if the iterator ends at once. A backend
that must stop without that claim raises `GaveUp`; a bare return *is* the claim. This package must not know any backend,
encoding or question's answer.

Each question is a method that a backend has or lacks: ``solutions``; for Lights Out ``fewest``, which yields solutions
of ever fewer presses and whose end claims that the last has the fewest; and ``count`` and ``mus``, described in
`crosslit.contract.backend`. Everything except the answer goes through the caller's `Task`.
"""

from crosslit.base.errors import ContractError as ContractError
from crosslit.base.errors import GaveUp as GaveUp
from crosslit.base.errors import Unavailable as Unavailable
from crosslit.contract.backend import FAULTY as FAULTY
from crosslit.contract.backend import NO_PRESSES as NO_PRESSES
from crosslit.contract.backend import PARAMETER as PARAMETER
from crosslit.contract.backend import PHASES as PHASES
from crosslit.contract.backend import TARGETS as TARGETS
from crosslit.contract.backend import UNKNOWN as UNKNOWN
from crosslit.contract.backend import Backend as Backend
from crosslit.contract.backend import Clock as Clock
from crosslit.contract.backend import Encoded as Encoded
from crosslit.contract.backend import Encoding as Encoding
from crosslit.contract.backend import MakesCommands as MakesCommands
from crosslit.contract.backend import Option as Option
from crosslit.contract.backend import Options as Options
from crosslit.contract.backend import Phase as Phase
from crosslit.contract.backend import QuestionName as QuestionName
from crosslit.contract.backend import ReadsModels as ReadsModels
from crosslit.contract.backend import Task as Task
from crosslit.contract.backend import Trace as Trace
from crosslit.contract.backend import are_independent as are_independent
from crosslit.contract.backend import dependence as dependence
from crosslit.contract.backend import no_time as no_time
from crosslit.contract.certificate import CLAIMS as CLAIMS
from crosslit.contract.certificate import ENCODER as ENCODER
from crosslit.contract.certificate import MAX_CHARACTERS as MAX_CHARACTERS
from crosslit.contract.certificate import VERSION as VERSION
from crosslit.contract.certificate import Certificate as Certificate
from crosslit.contract.certificate import Certified as Certified
from crosslit.contract.certificate import CheckResult as CheckResult
from crosslit.contract.certificate import Claim as Claim
from crosslit.contract.certificate import UnreadableCertificate as UnreadableCertificate
from crosslit.contract.run import COUNT as COUNT
from crosslit.contract.run import FEWEST as FEWEST
from crosslit.contract.run import MUS as MUS
from crosslit.contract.run import QUESTIONS as QUESTIONS
from crosslit.contract.run import SOLUTIONS as SOLUTIONS
from crosslit.contract.run import Question as Question
from crosslit.contract.run import answer_layout as answer_layout
