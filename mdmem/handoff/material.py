"""Read what a handoff is made of: the plan of an agent, its pins, its scratchpad, and its last sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.edits.generated import body, section_names, section_parts
from mdmem.entries.read import read_optional
from mdmem.errors import UnreadableFileError
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session
from mdmem.formats.template import Template
from mdmem.handoff.model import PINS, PLAN, QUESTIONS, SESSIONS, STEPS, HandoffLine, HandoffPart, most
from mdmem.messages.catalog import say
from mdmem.pins.model import Pin, write_body
from mdmem.pins.service import list_pins, pins_path
from mdmem.plan.read import plan_path, task_template
from mdmem.plan.service import PlanStep, TaskPlan, read_plan
from mdmem.scratchpad.gather import conclusion, scratchpad_path, scratchpad_template
from mdmem.scratchpad.line_texts import joined_sentences
from mdmem.scratchpad.model import KEPT
from mdmem.sessions.confidences import confidences, without_private
from mdmem.sessions.read import head, paths
from mdmem.text.document import parse
from mdmem.text.inline import one_line


class HandoffMaterial:
    """What one agent has to hand over, in the numbers and the language of the template of handoffs."""

    def __init__(self, config: WorkspaceConfig, giver: str, template: Template) -> None:
        self._config, self._giver, self._lang = config, giver, template.lang or config.lang
        self._template = template

    def parts(self) -> tuple[HandoffPart, ...]:
        """Return the parts that have lines, in the order of their sections."""
        found = (*self._plan(), self._pins(), *self._notes(), self._sessions())
        return tuple(part for part in found if part.lines)

    def _plan(self) -> Iterator[HandoffPart]:
        plan = read_plan(self._config, plan_path(self._config, self._giver))
        if not plan.steps:
            return
        now = plan.current
        begin = plan.steps.index(now) if now else 0
        ordered = (*plan.steps[begin:], *plan.steps[:begin])
        undone = [self._step(plan, one) for one in ordered if not one.done]
        yield HandoffPart(PLAN, (self._state(plan), *undone), self._most("open_steps") + 1)
        done = tuple(self._step(plan, one) for one in reversed(plan.steps) if one.done)
        yield HandoffPart(PLAN, done, self._most("done_steps"))

    def _state(self, plan: TaskPlan) -> HandoffLine:
        """Return the line with the phase and the counts of steps."""
        facts = {"phase": plan.phase or "—", "done": sum(one.done for one in plan.steps), "count": len(plan.steps)}
        return HandoffLine(say(self._lang, "handoff.plan", **facts), plan.path, f"file:{plan.path}")

    def _step(self, plan: TaskPlan, step: PlanStep) -> HandoffLine:
        marks = task_template(self._config).parts.get("current", ())
        mark = f" {marks[0]}" if step.current and marks else ""
        text = f"[{'x' if step.done else ' '}] {step.number} {self._short(step.text)}{mark}"
        return HandoffLine(text, plan.path)

    def _pins(self) -> HandoffPart:
        """Return the pins that hold: the giver's own, then those of every agent."""
        owners = (self._giver, None)
        lines = (self._pin(one, owner) for owner in owners for one in list_pins(self._config, agent=owner))
        return HandoffPart(PINS, tuple(filter(None, lines)), self._most("pins"))

    def _pin(self, pin: Pin, owner: str | None) -> HandoffLine | None:
        if pin.expired:
            return None
        text = self._short(write_body(pin.title, pin.summary, self._lang))
        fields = "".join(f" [{key}:: {value}]" for key in ("type", "artifact") if (value := getattr(pin, key)))
        return HandoffLine(text, pins_path(self._config, owner), pin.source, fields)

    def _notes(self) -> Iterator[HandoffPart]:
        """Yield the open questions and the next steps of the giver's scratchpad."""
        config, path = self._config, scratchpad_path(self._config, self._giver)
        found = read_optional(config, path, "user")
        document = parse((found.text if found else "").encode("utf-8", "surrogateescape"))
        template = config.schemas.match(path, document) or scratchpad_template(config)
        names = section_names(template, KEPT)
        of_plan = f"file:{plan_path(config, self._giver)}"  # such a line says a step of the plan again
        for alias, section in zip(KEPT, (QUESTIONS, STEPS), strict=True):
            entries = (one for part in section_parts(document, template, names[alias]) for one in part.entries)
            lines = []
            for entry in entries:
                field = entry.parts.field("source")
                source = field.value if field else ""
                if not entry.depth and (text := body(entry.text)) and source != of_plan:
                    lines.append(HandoffLine(self._short(text), path, source))
            yield HandoffPart(section, tuple(lines), self._most("notes"))

    def _sessions(self) -> HandoffPart:
        """Return the giver's sessions, newest first, among those that are searched for an open one."""
        lines = []
        for path in islice(paths(self._config), self._config.settings.session.open_among):
            with suppress(OSError, UnreadableFileError):
                session = head(self._config, path)
                if session.agent == self._giver:
                    lines.append(self._session(session))
        return HandoffPart(SESSIONS, tuple(lines), self._most("sessions"))

    def _session(self, session: Session) -> HandoffLine:
        settings = self._config.settings
        splitter, words = Splitter(settings.sentences), confidences(settings.keeper)
        told = (session.task, joined_sentences(one.text for one in conclusion(session, splitter)))
        said = filter(None, (without_private(one, splitter, words) for one in told))
        begin = f"{(session.ended or session.started)[:10]} {session.outcome}".strip()
        text = say(self._lang, "punctuation.colon").join((begin, *said))
        return HandoffLine(self._short(text), session.path, f"chat:{session.id}")

    def _most(self, name: str) -> int:
        return most(self._template, name)

    def _short(self, text: str) -> str:
        chars, line = self._most("line_chars"), one_line(text)
        return line if len(line) <= chars else f"{line[: chars - 1]}…"
