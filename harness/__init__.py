"""Seatrial: takes an agent-protocol server out to sea before its launch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .baseline import Scope as Scope
    from .checklist.answers import AnsweredLine as AnsweredLine
    from .checklist.answers import Checklist as Checklist
    from .checklist.answers import Decided as Decided
    from .checklist.answers import Standing as Standing
    from .checklist.lints import Remark as Remark
    from .claims import Spoken as Spoken
    from .clauses import clause_links as clause_links
    from .comparison import Change as Change
    from .comparison import ChangeKind as ChangeKind
    from .comparison import Comparison as Comparison
    from .curl import curl_line as curl_line
    from .curl import incomplete as incomplete
    from .events import BaselineProblem as BaselineProblem
    from .events import CaseFinished as CaseFinished
    from .events import CaseStarted as CaseStarted
    from .events import Event as Event
    from .events import RunFinished as RunFinished
    from .events import RunStarted as RunStarted
    from .evidence import Evidence as Evidence
    from .evidence import Line as Line
    from .exploration.course import Course as Course
    from .grading import broken as broken
    from .grading import graded as graded
    from .judge.operations import Histories as Histories
    from .judge.traffic import Judgement as Judgement
    from .lab import Inconclusive as Inconclusive
    from .lab import Lab as Lab
    from .labs import A2aLab as A2aLab
    from .labs import A2aSession as A2aSession
    from .labs import AguiLab as AguiLab
    from .labs import AguiSession as AguiSession
    from .labs import McpLab as McpLab
    from .labs import WebSocketLab as WebSocketLab
    from .labs import WebSocketSession as WebSocketSession
    from .listing import LISTS as LISTS
    from .listing import Walk as Walk
    from .listing import entries as entries
    from .listing import walk as walk
    from .matrix import Difference as Difference
    from .matrix import cells as cells
    from .matrix import differing as differing
    from .matrix import unshared as unshared
    from .model import Acceptance as Acceptance
    from .model import Case as Case
    from .model import Check as Check
    from .model import Column as Column
    from .model import Feature as Feature
    from .model import Harm as Harm
    from .model import Isolation as Isolation
    from .model import Level as Level
    from .model import Mutant as Mutant
    from .model import Place as Place
    from .model import Reason as Reason
    from .model import Requirement as Requirement
    from .model import Result as Result
    from .model import Role as Role
    from .model import Suite as Suite
    from .model import Verdict as Verdict
    from .model import Violation as Violation
    from .protocols.a2a.card import Interface as Interface
    from .protocols.a2a.card import extensions as extensions
    from .protocols.a2a.card import followed as followed
    from .protocols.a2a.card import interfaces as interfaces
    from .protocols.a2a.configs import PushConfig as PushConfig
    from .protocols.a2a.session import NOWHERE as NOWHERE
    from .protocols.a2a.stream import TaskStream as TaskStream
    from .protocols.a2a.updates import TERMINAL as TERMINAL
    from .protocols.a2a.updates import Update as Update
    from .protocols.a2a.updates import read as read
    from .protocols.a2a.updates import update_in as update_in
    from .protocols.a2a.versions import EXTENSIONS_HEADER as EXTENSIONS_HEADER
    from .protocols.a2a.versions import HTTP_JSON as HTTP_JSON
    from .protocols.a2a.versions import JSONRPC as JSONRPC
    from .protocols.a2a.versions import OPERATIONS as OPERATIONS
    from .protocols.a2a.versions import V03 as V03
    from .protocols.a2a.versions import V10 as V10
    from .protocols.a2a.versions import VERSION_HEADER as VERSION_HEADER
    from .protocols.agui.run import Run as Run
    from .protocols.agui.run import RunEvent as RunEvent
    from .protocols.agui.run import ToolCall as ToolCall
    from .protocols.driver import Play as Play
    from .protocols.exchange import NO_ID as NO_ID
    from .protocols.exchange import Departure as Departure
    from .protocols.exchange import Exchange as Exchange
    from .protocols.exchange import StreamEvent as StreamEvent
    from .protocols.exchange import is_response as is_response
    from .protocols.exchange import same_id as same_id
    from .protocols.mcp import codes as codes
    from .protocols.mcp.envelope import encoded as encoded
    from .protocols.mcp.envelope import header_value as header_value
    from .protocols.mcp.session import AUTO as AUTO
    from .protocols.mcp.session import SILENT as SILENT
    from .protocols.mcp.session import Session as Session
    from .protocols.mcp.versions import CLIENT_CAPABILITIES as CLIENT_CAPABILITIES
    from .protocols.mcp.versions import CLIENT_INFO as CLIENT_INFO
    from .protocols.mcp.versions import LOG_LEVEL as LOG_LEVEL
    from .protocols.mcp.versions import MODERN as MODERN
    from .protocols.mcp.versions import PROTOCOL_VERSION as PROTOCOL_VERSION
    from .protocols.mcp.versions import SERVER_INFO as SERVER_INFO
    from .protocols.mcp.versions import SUBSCRIPTION_ID as SUBSCRIPTION_ID
    from .protocols.outcome import Accepted as Accepted
    from .protocols.outcome import Answer as Answer
    from .protocols.outcome import Ending as Ending
    from .protocols.outcome import Lost as Lost
    from .protocols.outcome import Message as Message
    from .protocols.outcome import Outcome as Outcome
    from .protocols.outcome import Refusal as Refusal
    from .receiver import Delivery as Delivery
    from .receiver import Hook as Hook
    from .receiver import PerContent as PerContent
    from .receiver import Receiver as Receiver
    from .receiver import acts as acts
    from .registry import assemble as assemble
    from .registry import check as check
    from .registry import suite as suite
    from .repetition import rerun_words as rerun_words
    from .roles import stimulus_example as stimulus_example
    from .stimuli import ROLES as ROLES
    from .stimuli import Stimulus as Stimulus
    from .target import Server as Server
    from .target import free_port as free_port
    from .transcript import Kind as Kind
    from .transcript import Record as Record
    from .transport.network import Listener as Listener
    from .transport.network import Network as Network
    from .transport.network import Process as Process
    from .transport.sim import Program as Program
    from .transport.sim import SimNetwork as SimNetwork
    from .transport.sim import SimSpawner as SimSpawner
    from .transport.skew import CLOCK_SKEW as CLOCK_SKEW
    from .transport.suspension import Gate as Gate
    from .transport.suspension import GatedNetwork as GatedNetwork
    from .transport.tcp import TcpNetwork as TcpNetwork
    from .wire import jsonrpc as jsonrpc
    from .wire import lines as lines
    from .wire import sse as sse
    from .wire import websocket as websocket
    from .wire.json import JsonError as JsonError
    from .wire.json import dumps as dumps
    from .wire.json import loads as loads
    from .witness import NOTHING as NOTHING
    from .witness import Control as Control
    from .witness import Reading as Reading
    from .witness import Sighting as Sighting
    from .witness import gained as gained

_EXPORTS: dict[str, str] = {
    "Scope": "baseline",
    "AnsweredLine": "checklist.answers",
    "Checklist": "checklist.answers",
    "Decided": "checklist.answers",
    "Standing": "checklist.answers",
    "Remark": "checklist.lints",
    "Spoken": "claims",
    "Change": "comparison",
    "Comparison": "comparison",
    "ChangeKind": "comparison",
    "clause_links": "clauses",
    "curl_line": "curl",
    "incomplete": "curl",
    "BaselineProblem": "events",
    "CaseFinished": "events",
    "CaseStarted": "events",
    "Event": "events",
    "RunFinished": "events",
    "RunStarted": "events",
    "Evidence": "evidence",
    "Line": "evidence",
    "Course": "exploration.course",
    "broken": "grading",
    "graded": "grading",
    "Histories": "judge.operations",
    "Judgement": "judge.traffic",
    "Inconclusive": "lab",
    "Lab": "lab",
    "A2aLab": "labs",
    "A2aSession": "labs",
    "AguiLab": "labs",
    "AguiSession": "labs",
    "McpLab": "labs",
    "WebSocketLab": "labs",
    "WebSocketSession": "labs",
    "entries": "listing",
    "LISTS": "listing",
    "walk": "listing",
    "Walk": "listing",
    "cells": "matrix",
    "Difference": "matrix",
    "differing": "matrix",
    "unshared": "matrix",
    "Acceptance": "model",
    "Case": "model",
    "Check": "model",
    "Column": "model",
    "Feature": "model",
    "Harm": "model",
    "Isolation": "model",
    "Level": "model",
    "Mutant": "model",
    "Place": "model",
    "Reason": "model",
    "Requirement": "model",
    "Result": "model",
    "Role": "model",
    "Suite": "model",
    "Verdict": "model",
    "Violation": "model",
    "extensions": "protocols.a2a.card",
    "followed": "protocols.a2a.card",
    "Interface": "protocols.a2a.card",
    "interfaces": "protocols.a2a.card",
    "PushConfig": "protocols.a2a.configs",
    "NOWHERE": "protocols.a2a.session",
    "TaskStream": "protocols.a2a.stream",
    "read": "protocols.a2a.updates",
    "TERMINAL": "protocols.a2a.updates",
    "Update": "protocols.a2a.updates",
    "update_in": "protocols.a2a.updates",
    "EXTENSIONS_HEADER": "protocols.a2a.versions",
    "HTTP_JSON": "protocols.a2a.versions",
    "JSONRPC": "protocols.a2a.versions",
    "OPERATIONS": "protocols.a2a.versions",
    "V03": "protocols.a2a.versions",
    "V10": "protocols.a2a.versions",
    "VERSION_HEADER": "protocols.a2a.versions",
    "Run": "protocols.agui.run",
    "RunEvent": "protocols.agui.run",
    "ToolCall": "protocols.agui.run",
    "Play": "protocols.driver",
    "Departure": "protocols.exchange",
    "Exchange": "protocols.exchange",
    "is_response": "protocols.exchange",
    "NO_ID": "protocols.exchange",
    "same_id": "protocols.exchange",
    "StreamEvent": "protocols.exchange",
    "codes": "protocols.mcp",
    "encoded": "protocols.mcp.envelope",
    "header_value": "protocols.mcp.envelope",
    "AUTO": "protocols.mcp.session",
    "Session": "protocols.mcp.session",
    "SILENT": "protocols.mcp.session",
    "CLIENT_CAPABILITIES": "protocols.mcp.versions",
    "CLIENT_INFO": "protocols.mcp.versions",
    "LOG_LEVEL": "protocols.mcp.versions",
    "MODERN": "protocols.mcp.versions",
    "PROTOCOL_VERSION": "protocols.mcp.versions",
    "SERVER_INFO": "protocols.mcp.versions",
    "SUBSCRIPTION_ID": "protocols.mcp.versions",
    "Accepted": "protocols.outcome",
    "Answer": "protocols.outcome",
    "Ending": "protocols.outcome",
    "Lost": "protocols.outcome",
    "Message": "protocols.outcome",
    "Outcome": "protocols.outcome",
    "Refusal": "protocols.outcome",
    "acts": "receiver",
    "Delivery": "receiver",
    "Hook": "receiver",
    "PerContent": "receiver",
    "Receiver": "receiver",
    "assemble": "registry",
    "check": "registry",
    "suite": "registry",
    "rerun_words": "repetition",
    "stimulus_example": "roles",
    "ROLES": "stimuli",
    "Stimulus": "stimuli",
    "free_port": "target",
    "Server": "target",
    "Kind": "transcript",
    "Record": "transcript",
    "Listener": "transport.network",
    "Network": "transport.network",
    "Process": "transport.network",
    "Program": "transport.sim",
    "SimNetwork": "transport.sim",
    "SimSpawner": "transport.sim",
    "CLOCK_SKEW": "transport.skew",
    "Gate": "transport.suspension",
    "GatedNetwork": "transport.suspension",
    "TcpNetwork": "transport.tcp",
    "jsonrpc": "wire",
    "lines": "wire",
    "sse": "wire",
    "websocket": "wire",
    "dumps": "wire.json",
    "JsonError": "wire.json",
    "loads": "wire.json",
    "Control": "witness",
    "gained": "witness",
    "NOTHING": "witness",
    "Reading": "witness",
    "Sighting": "witness",
}
"""Public name -> module that defines it. Imported on first use (PEP 562), so that `--help` stays fast."""


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_EXPORTS[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_EXPORTS)
