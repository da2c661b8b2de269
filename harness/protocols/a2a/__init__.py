"""A2A, spoken as a client: 0.3 and 1.0, over JSON-RPC and over HTTP+JSON."""
