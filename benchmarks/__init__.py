"""Figures, measured by hand or by `tox -e bench`; never tests, since a timed test fails for other reasons."""
