"""Sans-IO codecs: bounded, and honest about what was malformed."""

from . import jsonrpc as jsonrpc
from . import lines as lines
from . import sse as sse
from . import websocket as websocket
