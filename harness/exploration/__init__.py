"""Exploration: plans of faults at random, against what every protocol promises, and the regressions that it leaves."""

from __future__ import annotations

from .course import Course, course_of, courses
from .draws import Extent, plans
from .playing import Player
from .regression import SUITE, Regression, name_of, suite_of
from .saved import FILE, append, load
from .search import Finding, Played, Search, Unplayable

__all__ = [
    "FILE",
    "SUITE",
    "Course",
    "Extent",
    "Finding",
    "Played",
    "Player",
    "Regression",
    "Search",
    "Unplayable",
    "append",
    "course_of",
    "courses",
    "load",
    "name_of",
    "plans",
    "suite_of",
]
