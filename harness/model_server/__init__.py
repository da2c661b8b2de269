"""A fake model behind an API like OpenAI's: it says what the prompt asks for, and sees who hangs up."""

from .server import ModelServer as ModelServer
