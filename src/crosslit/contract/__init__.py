"""The contract between Crosslit and its plugins: interfaces of kinds, backends and encodings, and the task of a run.

This package must not know any backend, encoding or question's answer.
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
from crosslit.contract.backend import Option as Option
from crosslit.contract.backend import Options as Options
from crosslit.contract.backend import Phase as Phase
from crosslit.contract.backend import QuestionName as QuestionName
from crosslit.contract.backend import Task as Task
from crosslit.contract.backend import Trace as Trace
from crosslit.contract.backend import are_independent as are_independent
from crosslit.contract.backend import dependence as dependence
from crosslit.contract.backend import no_time as no_time
from crosslit.contract.certificate import Certificate as Certificate
from crosslit.contract.certificate import Certified as Certified
from crosslit.contract.certificate import CheckResult as CheckResult
from crosslit.contract.certificate import Claim as Claim
from crosslit.contract.certificate import UnreadableCertificate as UnreadableCertificate
from crosslit.contract.run import COUNT as COUNT
from crosslit.contract.run import FEWEST as FEWEST
from crosslit.contract.run import QUESTIONS as QUESTIONS
from crosslit.contract.run import SOLUTIONS as SOLUTIONS
from crosslit.contract.run import Question as Question
from crosslit.contract.run import answer_layout as answer_layout
