"""WebSocket itself (RFC 6455), without a protocol of agents above it: none of them defines such a binding."""
