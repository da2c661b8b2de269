"""The pre-launch checklist: what a run showed, what a person confirmed, and what is still open."""

from __future__ import annotations
