"""The grammar of AG-UI: pure judges of event streams."""

from .events import Event as Event
from .events import RunInput as RunInput
from .events import Stream as Stream
from .events import event as event
from .events import streams as streams
from .grammar import Final as Final
from .grammar import judge as judge
from .grammar import judge_stream as judge_stream
from .grammar import judged as judged
from .monitors import monitored as monitored
from .monitors import violation as violation
from .rules import V0 as V0
from .rules import V1 as V1
from .rules import Finding as Finding
from .rules import Profile as Profile
from .rules import Rule as Rule
from .rules import profile as profile
from .shapes import declaration as declaration
from .thread import judge_thread as judge_thread
