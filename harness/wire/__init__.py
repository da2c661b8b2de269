"""Sans-IO codecs: bounded, and honest about what was malformed."""
