"""A programmable webhook endpoint: what a target delivers is kept, and answered as a program says."""

from . import acts as acts
from .acts import Act as Act
from .delivery import Delivery as Delivery
from .hook import Hook as Hook
from .program import PerContent as PerContent
from .program import Program as Program
from .program import Script as Script
from .receiver import Receiver as Receiver
