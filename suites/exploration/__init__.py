"""How each protocol is played through any faults: the courses of `seatrial explore` and of saved regressions."""
