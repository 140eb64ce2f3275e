"""The namespace of attachments: record files that people and agents exchange, and describe, list and show them.

The file is copied first, then its record is committed: a crash in between leaves a file without a record, which lint
reports, and which the next `attach` of the same file takes over.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mdmem.attachments.copies import remove_copy, stored
from mdmem.attachments.edits import description_edits, is_address, is_tag, new_record, read_record, record_path
from mdmem.attachments.model import FOLDER, Attachment, AttachmentTexts
from mdmem.attachments.source import OpenedFile, head_of, is_text, mime_type, opened, type_of_address
from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.errors import MdmemError, RefusedError, TargetError, UnfinishedError, UnreadableFileError, UsageError
from mdmem.formats.template import Template
from mdmem.linter.masking import every_secret
from mdmem.messages.catalog import say
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.pattern import pattern

KIND = "attachment"
_SEPARATORS = pattern(r"[\s,，、]+")


class Attachments(TypedCalls):
    """The namespace `Workspace.attachments`; `Workspace.attach` adds one."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def list(
        self, *, direction: str = "", session: str = "", since: dt.date | None = None, limit: int | None = None
    ) -> tuple[Attachment, ...]:
        """Return the attachments, newest first.

        Args:
            direction: only `inbound` or only `outbound`.
            session: only those of this session.
            since: only those recorded on this day or later.
            limit: the maximum number; None uses `[attachments] list` of mdmem.toml.

        Raises:
            MemoryOffError: memory is switched off.
        """
        AccessPolicy(self._config, "user").reach(record_path("_"))
        found = [
            one
            for one in _records(self._config)
            if (not direction or one.direction == direction)
            and (not session or one.session == session)
            and (since is None or one.created_at >= since.isoformat())
        ]
        most = self._config.settings.attachments.list if limit is None else limit
        return tuple(sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)[:most])

    def show(self, id: str) -> Attachment:  # noqa: A002 - the noun
        """Return an attachment by its id, a prefix of it, or the path of its record or its file.

        Raises:
            TargetError: no attachment matches, or more than one.
            MemoryOffError: memory is switched off.
        """
        return _named(AccessPolicy(self._config, "user"), id)

    def describe(
        self,
        id: str,  # noqa: A002 - the noun
        description: str = "",
        *,
        transcription: str = "",
        text: str = "",
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Add what is known about an attachment to its record, each line as an entry (K072).

        A line that is there already is not added again.

        Args:
            id: its id, a prefix of it, or the path of its record or its file.
            description: what it is, from whom, what for.
            transcription: what a recording says.
            text: what was read from the file.
            actor: who asks.
            reason: why, for the log.

        Raises:
            UsageError: there is no text.
            TargetError: no attachment matches, or more than one.
            RefusedError: a text holds a secret, hidden text, an instruction, or what was forgotten.
        """
        commit = ChangeRequest(self._config, "describe", actor, reason)
        return describe(commit, _named(commit.access, id).path, AttachmentTexts(description, transcription, text))


class AttachmentDetails(NamedTuple):
    """What a caller says about an attachment besides its texts."""

    direction: str = "inbound"
    url: str = ""
    session: str = ""
    episode: str = ""
    tags: Sequence[str] = ()
    linked: Sequence[str] = ()


def attach(commit: ChangeRequest, source: str, details: AttachmentDetails, texts: AttachmentTexts) -> Outcome:
    """Record a file or an address; see `Workspace.attach`."""
    access, template = commit.access, _template(commit.config)
    access.reach(record_path("_"))  # raises if memory is switched off
    given = " ".join(source.split()) if is_address(source) else source
    url, source = (details.url or given, "") if is_address(given) else (details.url, source)
    if not url.strip() and not source.strip():
        access.stop(UsageError, "attachment.nothing")
    if url and not (is_address(url) and url.partition(":")[0].lower() in commit.config.settings.attachments.schemes):
        schemes = ", ".join(commit.config.settings.attachments.schemes)
        access.stop(UsageError, "attachment.address", schemes=schemes)
    details = details._replace(
        direction=_direction(access, template, details.direction), url=url, tags=_tags(access, details.tags)
    )
    for text in (url, details.session, details.episode, *details.tags, *details.linked):
        commit.fit(text)
    if not source:
        name = url.partition("://")[2].split("?")[0].split("#")[0].rstrip("/").rpartition("/")[2] or url
        return _record(
            commit, template, None, _attachment(commit.config.day, name, details, mime=type_of_address(url)), texts
        )
    with opened(access, source, commit.config.settings.attachments.allowed) as file:
        commit.fit(file.name)
        return _attach_file(commit, template, file, details, texts)


def _attach_file(
    commit: ChangeRequest, template: Template, file: OpenedFile, details: AttachmentDetails, texts: AttachmentTexts
) -> Outcome:
    settings, head = commit.config.settings.attachments, head_of(file)
    has_secret = _has_secret(commit, file, head)
    if has_secret and not commit.access.is_person:
        commit.access.stop(RefusedError, "attachment.secret", file.name)
    large = file.size > settings.max_bytes
    found = _attachment(
        commit.config.day,
        file.name,
        details,
        mime=mime_type(head, file.name),
        size=file.size,
        digest="" if large else file.digest(),
        path=file.path,
    )
    done = _record(commit, template, file if not large else None, found, texts)
    hints = (
        say(commit.lang, "attachment.stays", bytes=file.size, max=settings.max_bytes) if large else "",
        say(commit.lang, "attachment.has-secret") if has_secret else "",
    )
    joint = say(commit.lang, "punctuation.clause")
    return replace(done, hint=joint.join(filter(None, (*hints, done.hint))))


def _record(
    commit: ChangeRequest, template: Template, file: OpenedFile | None, found: Attachment, texts: AttachmentTexts
) -> Outcome:
    """Write the record of a file or an address that has none yet, after copying the file."""
    known = next((one for one in _records(commit.config) if _is_same(one, found)), None)
    if known:
        return _known(commit, known, texts)
    config, made = commit.config, None
    with Root(config.root) as root:
        try:
            found, made = stored(commit, root, file, found)
            commit.new(found.path)
            commit.run(lambda files: _creation(files, template, found, texts), propose=propose)
        except UnfinishedError:  # the record is written, or may be, and names the copy
            raise
        except MdmemError:
            if made:
                remove_copy(made)
            raise
        if commit.dry_run and made:
            remove_copy(made)
    return commit.outcome(say(commit.lang, "attachment.added", id=found.id, path=found.path), found.path)


def _creation(files: DraftFiles, template: Template, found: Attachment, texts: AttachmentTexts) -> Edits:
    return {found.path: new_record(template, found, texts)} if files[found.path] is None else {}


def _known(commit: ChangeRequest, known: Attachment, texts: AttachmentTexts) -> Outcome:
    """Return that an attachment is recorded already, after adding texts that its record does not hold."""
    if texts.given():
        done = describe(commit, known.path, texts)
        if done.status != "unchanged":
            return done
    message = say(commit.lang, "attachment.same", id=known.id)
    return Outcome("unchanged", message, say(commit.lang, "attachment.same.hint", id=known.id), known.path)


def describe(commit: ChangeRequest, path: str, texts: AttachmentTexts) -> Outcome:
    """Add texts to a record; see `Attachments.describe`."""
    path = commit.path(path)
    if not texts.given():
        commit.access.stop(UsageError, "pen.empty-text")
    for _, lines in texts.given():
        commit.gate.raw(path, "\n".join(f"- {line}" for line in lines))

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        return {path: description_edits(document, commit.template(path, document), texts)}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "attachment.described", path=path), path)


def _records(config: WorkspaceConfig) -> Iterator[Attachment]:
    """Yield all attachments; a record that cannot be read is passed over, because lint reports it."""
    template, most = _template(config), config.settings.lint.max_bytes
    with Root(config.root) as root:
        folder = config.whose.place(FOLDER)
        for name in root.names(folder):
            path = f"{folder}/{name}"
            if name.endswith(".md") and not name.startswith("."):
                try:
                    found = read(root.place(path), most)
                except (FileNotFoundError, UnreadableFileError):
                    continue
                if found:
                    yield read_record(parse(found.data), path, template)


def _named(access: AccessPolicy, name: str) -> Attachment:
    """Return the attachment that a name means; raises TargetError."""
    access.reach(record_path("_"))
    wanted, every = name.strip(), list(_records(access.config))
    exact = [one for one in every if wanted in (one.id, one.path, one.local_path)]
    found = exact or [one for one in every if wanted and wanted in (one.filename, one.original_filename)]
    found = found or [one for one in every if wanted and one.id.startswith(wanted)]
    if len(found) != 1:
        names = ", ".join(one.id for one in (found or every)[: access.config.settings.pins.candidates])
        key = "attachment.many" if found else "attachment.none"
        raise TargetError(
            say(access.lang, key, name=name[:80]),
            hint=say(access.lang, f"{key}.hint", names=names) if names else "",
            candidates=tuple(one.id for one in found),
            count=len(found),
        )
    return found[0]


def _is_same(one: Attachment, other: Attachment) -> bool:
    """Return True if two records are about the same file or address, exchanged in the same direction."""
    if one.direction != other.direction:
        return False
    if other.digest:
        return one.digest == other.digest
    if other.local_path:
        return (one.local_path, one.file_size) == (other.local_path, other.file_size)
    return bool(one.url) and one.url == other.url


def _template(config: WorkspaceConfig) -> Template:
    return config.schemas.required(KIND)


def _attachment(
    day: str,
    name: str,
    details: AttachmentDetails,
    *,
    mime: str,
    size: int | None = None,
    digest: str = "",
    path: str = "",
) -> Attachment:
    """Return an attachment of now, before its record has a name."""
    now = dt.datetime.now().astimezone()
    return Attachment(
        id="", path="", filename="", original_filename=name, mime_type=mime, file_size=size,
        direction=details.direction, local_path=path, url=details.url, session=details.session,
        episode=details.episode, created_at=f"{day} {now:%H:%M}", digest=digest, tags=tuple(details.tags),
        linked=tuple(details.linked), description="", transcription="", text="",
    )  # fmt: skip


def _direction(access: AccessPolicy, template: Template, word: str) -> str:
    """Return a direction as the template spells it; raises UsageError."""
    choices = template.front_matter["direction"].choices
    found = next((one for one in choices if one == word.strip().casefold()), "")
    if not found:
        access.stop(UsageError, "attachment.direction", name=word[:40], names=", ".join(choices))
    return found


def _tags(access: AccessPolicy, given: Sequence[str]) -> tuple[str, ...]:
    """Return the tags in words separated by blanks or commas; raises UsageError."""
    words = [word.lstrip("#") for one in given for word in _SEPARATORS.split(one)]
    tags = tuple(dict.fromkeys(filter(None, words)))
    if wrong := next((tag for tag in tags if not is_tag(tag)), ""):
        access.stop(UsageError, "attachment.tag", name=wrong[:40])
    return tags


def _has_secret(commit: ChangeRequest, file: OpenedFile, head: bytes) -> bool:
    """Return True for a text file, as large as a memory may be, that holds a secret."""
    if file.size > commit.config.settings.lint.max_bytes or not is_text(head):
        return False
    text = b"".join(file.pieces()).decode("utf-8", "replace")
    return any(True for _ in every_secret(text))
