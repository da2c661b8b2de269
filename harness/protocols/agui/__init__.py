"""AG-UI over its HTTP binding with server-sent events, before and from 1.0."""
