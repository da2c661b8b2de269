"""Faults as values. The lower-case names are the text form's; `octets` is `bytes` there and `slices` is `slice`."""

from __future__ import annotations

from .body import Oversize as oversize
from .body import Short, Where
from .body import TruncateBody as truncate_body
from .cancel import CancelRace as cancel_race
from .cancel import DoubleCancel as double_cancel
from .cancel import LateAnswer as late_answer
from .catalogue import FAULTS, benign_profile, cut_after_events, limit, mount_for, reset
from .clock import HarnessJump as harness_jump
from .clock import Skew as skew
from .coding import Coding, Flush
from .coding import Recode as recode
from .company import Concurrent as concurrent
from .company import Pipeline as pipeline
from .company import ReorderResponses as reorder_responses
from .connect import Blackhole as blackhole
from .connect import Refuse as refuse
from .event_streams import CrOnly as cr_only
from .event_streams import TwoStreams as two_streams
from .event_streams import UnterminatedTail as unterminated_tail
from .exchange import Exchange, HttpRequest
from .fault import Armed, Fault, FaultError, Fired, Mount, settings
from .frames import CloseCode as close_code
from .frames import Fragment as fragment
from .frames import NoCloseHandshake as no_close_handshake
from .frames import PingFlood as ping_flood
from .frames import Rsv as rsv
from .frames import Unmasked as unmasked
from .headers import Case as case
from .headers import DuplicateHeader as duplicate_header
from .headers import Letters
from .headers import RenameHeader as rename_header
from .headers import RewriteType as rewrite_type
from .headers import StripHeaders as strip_headers
from .http import Buffer as buffer
from .http import DropResponse as drop_response
from .http import DuplicateResponse as duplicate_response
from .http import Informational as informational
from .http import KeepaliveChurn as keepalive_churn
from .http import Redirect as redirect
from .http import ReplayRequest as replay_request
from .http import RoundRobin as round_robin
from .http import Status as status
from .message import CapabilityLie as capability_lie
from .message import Kind as Malformation
from .message import Malform as malform
from .message import Told
from .message import UnknownId as unknown_id
from .message import VersionSkew as version_skew
from .notation import to_json
from .plan import from_json, parse, parse_plan
from .process import FullPipe as full_pipe
from .process import PipeMerge as pipe_merge
from .process import PipeSplit as pipe_split
from .process import Sigkill as sigkill
from .process import Sigstop as sigstop
from .process import Sigterm as sigterm
from .process import StderrNoise as stderr_noise
from .process import StdinEof as stdin_eof
from .process import StdoutGarbage as stdout_garbage
from .rate import Part
from .rate import SlowLoris as slow_loris
from .rate import Throttle as throttle
from .sse import Blank as blank
from .sse import Bom as bom
from .sse import DropEvent as drop_event
from .sse import DuplicateEvent as duplicate_event
from .sse import EventId
from .sse import InjectComment as inject_comment
from .sse import MutateId as mutate_id
from .sse import ReorderEvents as reorder_events
from .sse import RetryField as retry_field
from .stage import Direction, How
from .stream import Corrupt as corrupt
from .stream import Cut as cut
from .stream import HalfClosed as half_close
from .stream import Latency as latency
from .stream import Slice as slices
from .stream import SlowClose as slow_close
from .stream import SplitAt as split_at
from .stream import Stall as stall
from .topology import Failover as failover
from .topology import Pause as pause
from .topology import Restart as restart
from .topology import ServerFault, State
from .topology import StaleReplica as stale_replica
from .trigger import CONNECT as connect
from .trigger import EOF as eof
from .trigger import Events as events
from .trigger import First as first
from .trigger import Messages as messages
from .trigger import Octets as octets
from .trigger import Requests as request
from .trigger import Trigger

FIN, RESET, STALL, GATEWAY_TIMEOUT = How.FIN, How.RESET, How.STALL, How.GATEWAY_TIMEOUT
UP, DOWN, BOTH = Direction.UP, Direction.DOWN, Direction.BOTH

__all__ = [
    "BOTH",
    "DOWN",
    "FAULTS",
    "FIN",
    "GATEWAY_TIMEOUT",
    "RESET",
    "STALL",
    "UP",
    "Armed",
    "Coding",
    "Direction",
    "EventId",
    "Exchange",
    "Fault",
    "FaultError",
    "Fired",
    "Flush",
    "How",
    "HttpRequest",
    "Letters",
    "Malformation",
    "Mount",
    "Part",
    "ServerFault",
    "Short",
    "State",
    "Told",
    "Trigger",
    "Where",
    "benign_profile",
    "blackhole",
    "blank",
    "bom",
    "buffer",
    "cancel_race",
    "capability_lie",
    "case",
    "close_code",
    "concurrent",
    "connect",
    "corrupt",
    "cr_only",
    "cut",
    "cut_after_events",
    "double_cancel",
    "drop_event",
    "drop_response",
    "duplicate_event",
    "duplicate_header",
    "duplicate_response",
    "eof",
    "events",
    "failover",
    "first",
    "fragment",
    "from_json",
    "full_pipe",
    "half_close",
    "harness_jump",
    "informational",
    "inject_comment",
    "keepalive_churn",
    "late_answer",
    "latency",
    "limit",
    "malform",
    "messages",
    "mount_for",
    "mutate_id",
    "no_close_handshake",
    "octets",
    "oversize",
    "parse",
    "parse_plan",
    "pause",
    "ping_flood",
    "pipe_merge",
    "pipe_split",
    "pipeline",
    "recode",
    "redirect",
    "refuse",
    "rename_header",
    "reorder_events",
    "reorder_responses",
    "replay_request",
    "request",
    "reset",
    "restart",
    "retry_field",
    "rewrite_type",
    "round_robin",
    "rsv",
    "settings",
    "sigkill",
    "sigstop",
    "sigterm",
    "skew",
    "slices",
    "slow_close",
    "slow_loris",
    "split_at",
    "stale_replica",
    "stall",
    "status",
    "stderr_noise",
    "stdin_eof",
    "stdout_garbage",
    "strip_headers",
    "throttle",
    "to_json",
    "truncate_body",
    "two_streams",
    "unknown_id",
    "unmasked",
    "unterminated_tail",
    "version_skew",
]
