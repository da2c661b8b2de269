"""Pure functions from histories to findings: `Violation | None` for one exchange, `Judgement` for a whole run."""

from . import dedup as dedup
from . import deliveries as deliveries
from . import errors as errors
from . import framing as framing
from . import lifecycle as lifecycle
from . import ordering as ordering
from . import pagination as pagination
from . import replay as replay
from . import shape as shape
