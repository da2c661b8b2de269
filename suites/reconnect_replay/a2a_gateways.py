"""A2A: what gateways make of answers, and what an agent may not make of that."""

from __future__ import annotations

from dataclasses import replace

from seatrial import A2aLab, Answer, Isolation, Reason, Role, check, expect

from ..gateways import MANGLED
from ..tasks import completed


@check(
    "a2a.send.mangled-answer",
    "A message whose answer was mangled on its way leads to one task",
    needs={Role.ECHO},
    faults=tuple(fault.name for fault in MANGLED),
    mutants=("send.makes-two-tasks",),
    isolation=Isolation.SESSION,
)
async def mangled_answers_make_no_tasks(lab: A2aLab) -> None:
    """Messages of one context are sent, and their answers come twice, behind an interim response, cut short, as gzip
    without its end, and with a byte spoilt. The tasks of the context are as many as the messages."""
    async with lab.session() as plain:
        context = (await completed(lab, plain)).context_id
        for fault in MANGLED:
            play = await lab.effects.plan(Role.ECHO)
            async with lab.session(replace(fault, on=plain.on("SendMessage"))) as session:
                await session.send(session.message(play.params["text"], contextId=context))
        listed = await plain.call("ListTasks", {"contextId": context, "pageSize": 50})
    tasks = listed.members.get("tasks") if isinstance(listed, Answer) else None
    if not isinstance(tasks, list):
        lab.inconclusive(Reason.NOT_EXERCISED, "the agent does not list its tasks", listed)
    wanted = 1 + len(MANGLED)
    lab.expect(expect.that(len(tasks) == wanted, f"{wanted} tasks for {wanted} messages", f"{len(tasks)}", listed))
