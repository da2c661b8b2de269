"""Pure judges of what an A2A agent said."""

from .errors import refused as refused
from .transcripts import enveloped as enveloped
from .transcripts import told as told
