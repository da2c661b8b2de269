"""Faults as values. The lower-case names are the text form's; `octets` is `bytes` there and `slices` is `slice`."""

from __future__ import annotations

from .catalogue import FAULTS, benign_profile, cut_after_events, mount_for, reset
from .exchange import Exchange, HttpRequest
from .fault import Armed, Fault, FaultError, Fired, Mount, settings
from .http import Buffer as buffer
from .http import DropResponse as drop_response
from .http import KeepaliveChurn as keepalive_churn
from .http import ReplayRequest as replay_request
from .http import RoundRobin as round_robin
from .http import Status as status
from .notation import to_json
from .plan import from_json, parse, parse_plan
from .process import FullPipe as full_pipe
from .process import PipeMerge as pipe_merge
from .process import PipeSplit as pipe_split
from .process import Sigkill as sigkill
from .process import Sigterm as sigterm
from .process import StdinEof as stdin_eof
from .sse import DropEvent as drop_event
from .sse import DuplicateEvent as duplicate_event
from .sse import ReorderEvents as reorder_events
from .stage import Direction, How
from .stream import Cut as cut
from .stream import HalfClosed as half_close
from .stream import Latency as latency
from .stream import Slice as slices
from .stream import SplitAt as split_at
from .stream import Stall as stall
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
    "Direction",
    "Exchange",
    "Fault",
    "FaultError",
    "Fired",
    "How",
    "HttpRequest",
    "Mount",
    "Trigger",
    "benign_profile",
    "buffer",
    "connect",
    "cut",
    "cut_after_events",
    "drop_event",
    "drop_response",
    "duplicate_event",
    "eof",
    "events",
    "first",
    "from_json",
    "full_pipe",
    "half_close",
    "keepalive_churn",
    "latency",
    "messages",
    "mount_for",
    "octets",
    "parse",
    "parse_plan",
    "pipe_merge",
    "pipe_split",
    "reorder_events",
    "replay_request",
    "request",
    "reset",
    "round_robin",
    "settings",
    "sigkill",
    "sigterm",
    "slices",
    "split_at",
    "stall",
    "status",
    "stdin_eof",
    "to_json",
]
