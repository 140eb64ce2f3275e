"""Enter the model that the keeper asks into the user's own settings, and take out exactly that.

What was entered is recorded in the user's state folder. A folder's own settings are never written, and no key is.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mdmem.config.trust import USER_SETTINGS, config_folder, shipped_settings, state_folder
from mdmem.errors import ConfigError, MdmemError, UsageError, WriteError
from mdmem.generation.model_use import MODELS_FOLDER
from mdmem.instructions.model import ConnectedFile, ConnectionState
from mdmem.instructions.outside_files import PRIVATE, masked_diff, replace_outside, require_writable, settled
from mdmem.instructions.read import read_outside, target_of
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import told
from mdmem.models import ModelReply, excerpt
from mdmem.models.http import address
from mdmem.settings.keeper_tables import HEADLESS
from mdmem.settings.reader import Layer, read_settings
from mdmem.settings.tables import OpenAISettings, Settings
from mdmem.settings.toml_edits import SetValue, Values, set_values, unset_values
from mdmem.settings.toml_file import line_of
from mdmem.store.files import make_private_folders, read_json, short_path, write_private

_RECORD = "entered.json"
_MOST_BYTES = 100_000
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_LISTED = 10  # models of an endpoint that a message names


@dataclass(frozen=True, slots=True)
class AskedModel:
    """What became of one small question: an answer, or a problem."""

    answer: str
    seconds: float
    problem: str = ""


def agent_values(agent: str) -> Values:
    """Return the settings that make an agent's own program the model."""
    return {("keeper", "backend"): agent}


def endpoint_values(lang: str, url: str, model: str, key_env: str | None) -> Values:
    """Return the settings that make an endpoint the model; its one model, if none is named.

    Raises:
        UsageError: `key_env` is no name of a variable, or no model is named and the endpoint does not have just one.
        ConfigError: the address cannot be used.
    """
    if key_env is not None and (not _VARIABLE.fullmatch(key_env) or mask(key_env) != key_env):
        raise UsageError(say(lang, "usage.connect-key"), hint=say(lang, "usage.connect-key.hint"))
    settings = _settings("").openai._replace(base_url=url, model=model, attempts=1)
    settings = settings._replace(key_env=key_env) if key_env is not None else settings
    address(settings, "models")
    if mask(url) != url:
        raise ConfigError("`openai.base_url` contains a name or password", hint="keep it in the environment: `key_env`")
    chosen = {"base_url": url, "model": model or _one(lang, settings)}
    chosen |= {"key_env": key_env} if key_env is not None else {}
    return {("keeper", "backend"): "openai", **{("openai", key): value for key, value in chosen.items()}}


def _one(lang: str, settings: OpenAISettings) -> str:
    """Return the one model of an endpoint. Raises UsageError."""
    from mdmem.models.openai import list_models

    hint = say(lang, "connect.name-model")
    try:
        names = list_models(settings, mask)
    except MdmemError as error:
        aside = told(error, lang)
        said = say(lang, "punctuation.aside", text=say(lang, "connect.models-none"), aside=aside)
        raise UsageError(said, hint=hint) from error
    if len(names) != 1:
        listed = ", ".join(names[:_LISTED])
        raise UsageError(say(lang, "connect.models-many" if names else "connect.models-none", names=listed), hint=hint)
    return names[0]


class _SettingsChange(NamedTuple):
    """What becomes of the settings, and of the record."""

    before: str | None
    after: str | None
    record: dict[str, Any]
    left: tuple[SetValue, ...] = ()


class ModelSettings:
    """The user's own settings, into which a model is entered."""

    def __init__(self, lang: str) -> None:
        """Bind to the settings of the user.

        Raises:
            WriteError: there is no folder for them.
        """
        folder, state = config_folder(), state_folder()
        if folder is None or state is None:
            hint = "set XDG_CONFIG_HOME" if folder is None else "set XDG_STATE_HOME"
            raise WriteError("there is no folder for your settings", hint=hint)
        self._lang, self._path, self._state = lang, os.path.join(folder, "mdmem.toml"), state

    def enter(self, by: str, values: Values, *, dry_run: bool) -> ConnectedFile:
        """Enter settings in the place of those that were entered before.

        Args:
            by: the agent, or `ENDPOINT`.
            values: the settings.
            dry_run: only tell what would change.

        Raises:
            ConfigError: the file is broken, or has no room for them; nothing was changed.
            WriteError, ConflictError: the file could not be replaced.
        """
        return self._done(lambda: self._entered(by, values), "connected", "unchanged", dry_run=dry_run)

    def remove(self, by: str, *, dry_run: bool) -> ConnectedFile:
        """Take out what was entered for an agent or an endpoint, but for what was changed since.

        Errors as for `enter`.
        """
        return self._done(lambda: self._removed(by), "removed", "none", dry_run=dry_run)

    def ask(self) -> AskedModel:
        """Ask the model of the settings one small question."""
        begun = time.monotonic()
        try:
            reply = _ask(_settings(self._read() or ""), say(self._lang, "model.question"))
        except MdmemError as error:
            return AskedModel("", time.monotonic() - begun, told(error, self._lang))
        return AskedModel(excerpt(reply.text.encode("utf-8", "replace"), mask), time.monotonic() - begun)

    def _done(
        self, make: Callable[[], _SettingsChange], changed: ConnectionState, same: ConnectionState, *, dry_run: bool
    ) -> ConnectedFile:
        found: list[ConnectedFile] = []

        def change() -> None:
            made = make()
            is_same = made.before == made.after
            status = same if is_same else "planned" if dry_run else changed
            status = "changed" if is_same and made.left else status
            found[:] = [self._told(made, status)]
            if not dry_run:
                self._write(made)

        settled(change)
        return found[0]

    def _write(self, made: _SettingsChange) -> None:
        """Write the record before what it names, so that an interrupted call can be taken back."""
        if made.before != made.after:
            require_writable(self._path)
        if made.record:
            self._save(made.record)
        if made.before != made.after:
            if not os.path.isdir(folder := os.path.dirname(self._path)):
                make_private_folders(folder, folder)
            old, new = (None if text is None else text.encode() for text in (made.before, made.after))
            replace_outside(self._path, old, new, PRIVATE)
        if not made.record:
            self._save({})

    def _entered(self, by: str, values: Values) -> _SettingsChange:
        before, known = self._read(), self._record()
        text = before or ""
        _settings(text)
        if known:
            text = unset_values(text, *_entries(known), USER_SETTINGS).text
        made = set_values(text, values, USER_SETTINGS)
        if made is None:
            keys = ", ".join(f"{table}.{key}" for table, key in values)
            hint = say(self._lang, "connect.no-room.hint")
            raise ConfigError(say(self._lang, "connect.no-room", keys=keys), path=USER_SETTINGS, hint=hint)
        _settings(made.text)
        created = known["created"] if known else before is None
        record = {"by": by, "created": created, "values": made.values, "blocks": made.blocks}
        return _SettingsChange(before, made.text, record)

    def _removed(self, by: str) -> _SettingsChange:
        before, known = self._read(), self._record()
        if before is None or known.get("by") != by:
            return _SettingsChange(before, before, known)
        made = unset_values(before, *_entries(known), USER_SETTINGS)
        after = None if known["created"] and not made.text else made.text
        left = [list(one) for one in made.left]
        return _SettingsChange(before, after, {**known, "values": left, "blocks": []} if left else {}, made.left)

    def _told(self, made: _SettingsChange, status: ConnectionState) -> ConnectedFile:
        after = made.after or ""
        places = tuple((f"{one.table}.{one.key}", line_of(after, one.key, one.table)) for one in made.left)
        diff = masked_diff(self._path, made.before or "", after)
        return ConnectedFile(short_path(self._path), status, diff, 0, places, "", target_of(self._path))

    def _read(self) -> str | None:
        data = read_outside(self._path)
        try:
            return None if data is None else data.decode()
        except ValueError as error:
            facts = {"reason": "UTF-8"}
            raise ConfigError("could not be read: {reason}", path=USER_SETTINGS, facts=facts) from error

    def _record(self) -> dict[str, Any]:
        """Return what was entered; empty if nothing was, or the record is damaged."""
        found: dict[str, Any] = read_json(os.path.join(self._state, MODELS_FOLDER), _RECORD, _MOST_BYTES)
        rows, blocks = found.get("values"), found.get("blocks")
        whole = isinstance(rows, list) and all(isinstance(row, list) and len(row) == 4 for row in rows)
        return found if whole and isinstance(blocks, list) and isinstance(found.get("by"), str) else {}

    def _save(self, record: dict[str, Any]) -> None:
        path = os.path.join(self._state, MODELS_FOLDER, _RECORD)
        if record or os.path.exists(path):
            write_private(path, json.dumps(record, ensure_ascii=False).encode(), self._state, _RECORD)


def _entries(record: dict[str, Any]) -> tuple[Sequence[SetValue], Sequence[str]]:
    return [SetValue(*row) for row in record["values"]], record["blocks"]


def _settings(text: str) -> Settings:
    """Return the settings that hold with this text of the user's. Raises ConfigError."""
    return read_settings(shipped_settings(), [Layer(text.encode(), USER_SETTINGS, trusted=True)])


def _ask(settings: Settings, question: str) -> ModelReply:
    """Ask the model that was entered, once. Raises ConfigError, ModelError."""
    name = settings.keeper.backend
    if name in HEADLESS:
        from mdmem.models.headless import ask as ask_agent

        return ask_agent(question, name, settings.command, mask)
    from mdmem.models.openai import ask as ask_endpoint

    return ask_endpoint(question, settings.openai._replace(attempts=1), mask)
