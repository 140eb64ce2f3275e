"""Hand over what a message asks for: «send me the photo of the cat» gets the record, its id and its path (K071)."""

# A hook recalls at each prompt, so what reads and writes records is imported when a record was found.
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from mdmem.attachments.model import FOLDER, Attachment
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.paths import within_user
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.search.candidates import Near
from mdmem.search.index import SearchIndex
from mdmem.search.recall import Outdated, RecallResult, in_force, recall
from mdmem.search.service import SearchFilter, SearchHit, search
from mdmem.settings.phrases import any_of
from mdmem.settings.tables import AttachmentSettings
from mdmem.text.tokens import TokenCounter

_KIND = "attachment"


class AttachmentPlaces:
    """Tells where the files are whose records a search finds."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Bind to a workspace; a record is read when it is asked for."""
        self._config, self._known = config, dict[str, Attachment | None]()

    def of(self, path: str) -> Attachment | None:
        """Return the attachment of a record; None for another file."""
        if not within_user(path).startswith(f"{FOLDER}/"):
            return None
        if path not in self._known:
            from mdmem.attachments.service import Attachments

            self._known[path] = None
            with suppress(MdmemError):
                self._known[path] = Attachments(self._config).show(path)
        return self._known[path]

    def told(self, path: str) -> str:
        """Return the id of a record with the place of its file; empty for another file."""
        found = self.of(path)
        place = found.local_path or found.url if found else ""
        return say(self._config.lang, "attachment.here", id=found.id, path=place) if found and place else ""

    def files(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the files in the workspace whose records are among some paths."""
        found = (self.of(path) for path in paths)
        places = (one.local_path for one in found if one)
        return tuple(dict.fromkeys(place for place in places if within_user(place).startswith(f"{FOLDER}/")))


def recall_with_files(
    config: WorkspaceConfig, index: SearchIndex, question: str, near: Near, *, budget: int | None,
    counter: TokenCounter, outdated: Outdated = in_force, without: Sequence[str] = (), **rest: Any,  # noqa: ANN401
) -> RecallResult:  # fmt: skip
    """Recall what a prompt needs, and the attachments that it asks for; see `Workspace.recall`."""
    places = AttachmentPlaces(config)
    beside = _joined(config, (outdated, lambda path, _: places.told(path)))
    found = recall(
        config, index, question, near, budget=budget, counter=counter, outdated=beside, without=without, **rest
    )
    if not config.settings.memory.enabled:
        return found
    most = config.settings.recall.budget if budget is None else budget
    known = {hit.path for hit in found.hits}
    for hit in _asked(config, index, question, near, without):
        told = places.told(hit.path)
        line = f"- {mask(' '.join(hit.text.split()))} ({told})"
        text = "\n".join(filter(None, (found.text, line)))
        if told and hit.path not in known and counter(text) <= most:
            known.add(hit.path)
            found = replace(found, text=text, hits=(*found.hits, hit), tokens=counter(text), unknown=False)
    return found


def _joined(config: WorkspaceConfig, notes: Sequence[Outdated]) -> Callable[[str, str], str]:
    joint = say(config.lang, "punctuation.clause")
    return lambda path, text: joint.join(filter(None, (note(path, text) for note in notes)))


def _asked(
    config: WorkspaceConfig, index: SearchIndex, question: str, near: Near, without: Sequence[str]
) -> Iterator[SearchHit]:
    """Yield the records that a message asks for; none unless it asks for a file with words of the settings."""
    settings = config.settings.attachments
    rest = _about(question[: config.settings.search.query_chars], settings)
    if not rest:
        return
    found = search(config, index, rest, settings.handed, SearchFilter((_KIND,), without=tuple(without)), near)
    yield from (hit for hit in found if hit.score >= settings.handed_share * found[0].score)


@lru_cache(maxsize=64)
def _about(question: str, settings: AttachmentSettings) -> str:
    """Return a message without the words that ask for a file; empty if it does not ask for one."""
    asking, kinds = any_of(settings.asking), any_of(settings.asked)
    if not (asking.search(question) and kinds.search(question)):
        return ""
    return " ".join(kinds.sub(" ", asking.sub(" ", question)).split())
