"""`python -m seatrial`."""

from .cli import main

main(prog_name="seatrial")
