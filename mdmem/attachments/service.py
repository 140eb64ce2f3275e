"""The namespace of attachments: copy a file beside its record, describe it, find it, record files of tools."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import mimetypes
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, cast, get_args
from urllib.parse import unquote, urlsplit

from mdmem.attachments.edits import mime_type, read_record, record_text, set_text
from mdmem.attachments.model import TEXTS, Attachment, AttachmentText, Direction
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.kind_files import files_of
from mdmem.entries.model import Outcome
from mdmem.entries.show import live_bytes
from mdmem.errors import MdmemError, RefusedError, TargetError, UnreadableFileError, UsageError
from mdmem.formats.paths import is_unportable
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.store.durable import discard, make_new
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.edit import Edit
from mdmem.text.inline import one_line

FOLDER = "attachments"
_HEAD = 4096  # bytes by which a format is recognized
_SCHEMES = ("http", "https")


class Attachments:
    """The namespace `Workspace.attachments`."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def add(
        self,
        source: str,
        *,
        direction: Direction = "inbound",
        description: str = "",
        transcription: str = "",
        text: str = "",
        session: str = "",
        tags: Sequence[str] = (),
        linked: Sequence[str] = (),
        name: str = "",
        copy: bool = True,
        actor: str = "user",
        dry_run: bool = False,
    ) -> Outcome:
        """Attach a file or a link: copy the file to attachments/, and write a record beside it (K060–K065).

        The same file again changes nothing. A file of more than `[attachments] max_bytes` stays where it is.

        Args:
            source: a path from the current folder, or an http or https address.
            direction: inbound from the person, outbound to the person (K061).
            description: what it is; later searches find it by this.
            transcription: what a recording says.
            text: what can be read in it.
            session: the id of the session in which it came.
            tags: words.
            linked: ids or paths of memories that belong to it.
            name: its original name; default the name of the file.
            copy: False leaves the file where it is; the record names its place.
            actor: as for `Workspace.add`; an agent attaches only files below the workspace, or below a folder of
                `[attachments] agent_folders`.
            dry_run: write nothing.

        Raises:
            UsageError: neither a file nor an address, or an unknown direction.
            RefusedError: not a regular file, a name that no file may have, out of an agent's reach, or a text that may
                not be kept.
            UnreadableFileError: the file cannot be read.
            WriteError: the disk refused; nothing was kept.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").attach("cat.jpg", description="一只橘猫趴在沙发上").path
        """
        if direction not in get_args(Direction):
            raise UsageError(
                self._say("attach.direction", direction=direction), hint=self._say("attach.direction.hint")
            )
        access = AccessPolicy(self._config, actor)
        access.reach(f"{FOLDER}/a.md")  # raises if memory is switched off
        asked = Attachment(
            "", "", one_line(name), direction=direction, session=session, tags=tuple(tags), linked=tuple(linked),
            description=description, transcription=transcription, text=text,
            created_at=f"{dt.datetime.now().astimezone():%Y-%m-%d %H:%M}",
        )  # fmt: skip
        if urlsplit(source).scheme.lower() in _SCHEMES:
            return _RecordWriter(self._config, actor, dry_run=dry_run).link(asked, source)
        return _RecordWriter(self._config, actor, dry_run=dry_run).file(asked, source, access, copy=copy)

    def describe(
        self, id: str, text: str, *, section: AttachmentText = "description", actor: str = "user", reason: str = ""  # noqa: A002
    ) -> Outcome:  # fmt: skip
        """Replace one text of an attachment's record: its description, transcription or text (K072).

        Raises:
            TargetError: no attachment matches, or more than one.
            UsageError: there is no such section.
            RefusedError: the text may not be kept.
        """
        if section not in TEXTS:
            raise UsageError(self._say("attach.section", section=section), hint=", ".join(TEXTS))
        path = self.show(id).path
        commit = ChangeRequest(self._config, "attach describe", actor, reason)
        commit.path(path)

        def change(files: DraftFiles) -> Edits:
            document = commit.document(files, path)
            return {path: set_text(document, _template(self._config), section, text)}

        commit.run(change)
        return commit.outcome(self._say("attach.described", path=path), path)

    def list(
        self, *, direction: str = "", session: str = "", tag: str = "", limit: int | None = None
    ) -> tuple[Attachment, ...]:
        """Return the attachments, newest first; of one direction, session or tag.

        Raises:
            MemoryOffError: memory is switched off.
        """
        AccessPolicy(self._config, "user").reach(f"{FOLDER}/a.md")
        found = [
            one
            for one in map(self._read, files_of(self._config, "attachment"))
            if (not direction or one.direction == direction)
            and (not session or one.session.startswith(session))
            and (not tag or tag in one.tags)
        ]
        found.sort(key=lambda one: (one.created_at, one.path), reverse=True)
        return tuple(found[:limit])

    def show(self, id: str) -> Attachment:  # noqa: A002 - the noun
        """Return one attachment by its id, the name of its file, or a beginning of either.

        Raises:
            TargetError: no attachment matches, or more than one.
        """
        every = self.list()
        names = {one.path: {one.id, one.path, one.filename, one.original_filename, one.local_path} for one in every}
        exact = [one for one in every if id in names[one.path]]
        near = [one for one in every if id and any(name.startswith(id) for name in names[one.path])]
        if len(exact or near) != 1:
            candidates = tuple(one.id for one in (exact or near or every)[:5])
            hint = self._say("attach.none.hint")
            raise TargetError(
                self._say("attach.none", id=id), hint=hint, candidates=candidates, count=len(exact or near)
            )
        return (exact or near)[0]

    def without_record(self) -> tuple[str, ...]:
        """Return the files in attachments/ that no record names."""
        known = {one.local_path for one in self.list()}
        with Root(self._config.root) as root:
            names = (f"{FOLDER}/{name}" for name in root.names(FOLDER))
            return tuple(name for name in names if not name.endswith(".md") and name not in known)

    def _read(self, path: str) -> Attachment:
        data = live_bytes(self._config, path, self._config.settings.lint.max_bytes) or b""
        return read_record(parse(data), path, _template(self._config))

    def _say(self, key: str, **facts: object) -> str:
        return say(self._config.lang, key, **facts)


def _template(config: WorkspaceConfig) -> Template:
    found = config.schemas.get("attachment")
    assert found is not None, "the kind `attachment` is shipped"
    return found


class _RecordWriter:
    """Writes the record of one attachment, and the copy of its file."""

    def __init__(self, config: WorkspaceConfig, actor: str, *, dry_run: bool) -> None:
        self._config, self._actor, self._dry_run = config, actor, dry_run
        self._settings, self._lang = config.settings.attachments, config.lang

    def link(self, asked: Attachment, url: str) -> Outcome:
        """Write the record of an address."""
        parts = urlsplit(url)
        name = unquote(parts.path.rpartition("/")[2]) or parts.netloc
        for one in Attachments(self._config).list():
            if one.url == url:
                return self._unchanged(one)
        return self._record(_with(asked, url=url, original_filename=asked.original_filename or name), name)

    def file(self, asked: Attachment, source: str, access: AccessPolicy, *, copy: bool) -> Outcome:
        """Copy a file, and write its record; remove the copy if the record is refused."""
        place = os.path.abspath(source)
        name = os.path.basename(place)
        found = self._look(place, name)
        if copy and not access.is_person:
            self._within_reach(place, name)
        data = self._bytes(place, name) if copy and found.st_size <= self._settings.max_bytes else b""
        size = len(data) or found.st_size
        head = data[:_HEAD] if data else self._bytes(place, name, _HEAD)
        asked = _with(
            asked, file_size=size, mime_type=mime_type(head, mimetypes.guess_type(name)[0] or ""),
            original_filename=asked.original_filename or name,
        )  # fmt: skip
        inside = os.path.relpath(place, os.path.realpath(self._config.root)).replace(os.sep, "/")
        if known := self._same(data, size, inside):
            return self._unchanged(known)
        if not data or inside.startswith(f"{FOLDER}/"):
            local = inside if not inside.startswith("..") else place
            return self._record(_with(asked, local_path=local), name)
        return self._copied(asked, data, name)

    def _copied(self, asked: Attachment, data: bytes, name: str) -> Outcome:
        with Root(self._config.root) as root:
            for local in _free(name):
                if self._dry_run:
                    return self._record(_with(asked, local_path=local), name)
                target = root.place(local, make=True)
                if make_new(target.name, data, local):
                    break
            try:
                done = self._record(_with(asked, local_path=local), local.rpartition("/")[2])
            except MdmemError:
                discard(target.name)
                raise
            return done

    def _record(self, asked: Attachment, name: str) -> Outcome:
        commit = ChangeRequest(self._config, "attach", self._actor, "", dry_run=self._dry_run)
        stem = name.rpartition(".")[0] or name
        for path in _free(f"{_slug(stem)}.md"):
            if commit.exists(path):
                continue
            asked = _with(asked, path=path, filename=asked.local_path.rpartition("/")[2] or name)
            commit.path(path)
            commit.new(path)
            text = record_text(_template(self._config), asked)

            def change(files: DraftFiles, path: str = path, text: str = text) -> Edits:
                return {path: (Edit.insert(0, text),)} if files[path] is None else {}

            commit.run(change)
            if commit.gate.steps:
                break
        kept = "attach.stays" if asked.local_path and not asked.local_path.startswith(f"{FOLDER}/") else ""
        hints: tuple[str, ...] = (say(self._lang, kept, bytes=self._settings.max_bytes),) if kept else ()
        bare = not (asked.description or asked.transcription or asked.text)
        hints += (say(self._lang, "attach.bare", id=asked.id),) if bare else ()
        return commit.outcome(say(self._lang, "attach.done", name=asked.filename, path=asked.path), asked.path, *hints)

    def _unchanged(self, known: Attachment) -> Outcome:
        message = say(self._lang, "attach.known", name=known.filename, path=known.path)
        return Outcome("unchanged", message, "", known.path)

    def _same(self, data: bytes, size: int, inside: str) -> Attachment | None:
        """Return the attachment whose file has the same bytes, or is this file."""
        digest = hashlib.sha256(data).digest()
        for one in Attachments(self._config).list():
            if one.local_path == inside:
                return one
            if data and one.file_size == size and one.local_path.startswith(f"{FOLDER}/"):
                place = os.path.join(self._config.root, one.local_path)
                try:
                    if hashlib.sha256(self._bytes(place, one.filename)).digest() == digest:
                        return one
                except MdmemError:
                    continue
        return None

    def _look(self, place: str, name: str) -> os.stat_result:
        """Return the status of a regular file with a usable name."""
        try:
            found = os.lstat(place)
        except (OSError, ValueError) as error:
            raise UsageError(
                say(self._lang, "attach.no-file", name=name), hint=say(self._lang, "attach.no-file.hint")
            ) from error
        if not stat.S_ISREG(found.st_mode):
            raise RefusedError(
                say(self._lang, "attach.not-regular", name=name), hint=say(self._lang, "attach.not-regular.hint")
            )
        if why := is_unportable(name, ("*",)):
            raise RefusedError(say(self._lang, "attach.name"), hint=say(self._lang, f"pen.name-{why}.hint", path=name))
        return found

    def _within_reach(self, place: str, name: str) -> None:
        """Refuse an agent's file outside the workspace and the folders of `[attachments] agent_folders`."""
        real = os.path.realpath(place)
        folders = (self._config.root, *map(os.path.expanduser, self._settings.agent_folders))
        if not any(os.path.commonpath((real, os.path.realpath(one))) == os.path.realpath(one) for one in folders):
            hint = say(self._lang, "attach.out-of-reach.hint")
            raise RefusedError(say(self._lang, "attach.out-of-reach", name=name), hint=hint)

    def _bytes(self, place: str, name: str, most: int = -1) -> bytes:
        try:
            with open(place, "rb") as stream:
                return stream.read(most)
        except OSError as error:
            message = say(self._lang, "attach.unreadable", name=name, reason=error.strerror)
            raise UnreadableFileError(message, path=name) from error


def _with(attachment: Attachment, **values: Any) -> Attachment:  # noqa: ANN401 - the fields of an attachment
    return replace(attachment, **values)


def _free(name: str) -> Iterator[str]:
    """Yield the names that a file may get: its own, then with a number."""
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, f".{ending}") if dot and stem else (name, "")
    yield f"{FOLDER}/{name}"
    yield from (f"{FOLDER}/{stem}-{number}{ending}" for number in count(2))


def _slug(stem: str) -> str:
    kept = "".join(char if char.isalnum() or char in "-_" else "_" for char in stem)
    return kept.strip("_-") or "file"


def record_outbound(
    config: WorkspaceConfig, tool: str, given: str, sentence: str, *, session: str, actor: str
) -> tuple[str, ...]:
    """Record the files that a tool has made or sent to the person; return the paths of the records (K070).

    Only tools of `[attachments] tools`, and files of its `types` that exist. The file stays where it is.

    Args:
        config: the workspace.
        tool: the tool's name.
        given: its input, as JSON.
        sentence: what the assistant said with it; the description.
        session: the id of the session.
        actor: the agent.
    """
    settings = config.settings.attachments
    if tool not in settings.tools:
        return ()
    try:
        values = json.loads(given)
    except (ValueError, RecursionError):
        return ()
    made = []
    for key in settings.keys if isinstance(values, Mapping) else ():
        value = cast("Mapping[str, object]", values).get(key)
        if not isinstance(value, str) or not value.lower().endswith(settings.types):
            continue
        try:
            done = Attachments(config).add(
                value, direction="outbound", description=sentence, session=session, copy=False, actor=actor
            )
        except (MdmemError, OSError, ValueError):
            continue
        made += [done.path] if done.status == "done" else []
    return tuple(made)
