"""The settings and templates of a workspace: the shipped ones, the user's, and its own."""

# `formats.artifact` is imported only for an artifact: it loads the parser's types.
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import cache, cached_property, partial
from time import strftime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from mdmem.config.settings_file import read_settings_file
from mdmem.config.trust import USER_SETTINGS, config_folder, is_trusted, user_settings
from mdmem.config.whose import Whose
from mdmem.errors import ConfigError, TargetError, UnreadableFileError, UsageError
from mdmem.messages.folders import code_folder, languages, locale_language, templates_folder
from mdmem.settings.search_tables import TokensSettings
from mdmem.store.cache import WorkspaceCache, signature
from mdmem.store.files import digest, read_bytes
from mdmem.store.walk import SETTINGS_FILE, STATE_FOLDER, is_included
from mdmem.text.tokens import TokenCounter, count_tokens, scaled

if TYPE_CHECKING:
    from mdmem.config.held_settings import HeldFile
    from mdmem.config.installed_bundles import InstalledBundles
    from mdmem.formats.template import Schemas, Template
    from mdmem.settings.tables import LintSettings, Settings
    from mdmem.store.git.repository_requests import GitRequest
    from mdmem.store.pen import Pen
    from mdmem.store.transaction import EditCheck
    from mdmem.text.document import Document


# Which mistakes in settings are passed over: none; a wrong key or value, so that a conversation is still recorded;
# also a file that is no TOML, for what repairs a workspace and writes nothing new. With "held" the last settings that
# were whole hold in place of a broken file, for hooks and servers, which nobody watches.
Leniency: TypeAlias = Literal["no", "keys", "file", "held"]


class TemplateFile(NamedTuple):
    """A template on disk: its language (empty for all), its path in messages, and its path on disk."""

    lang: str
    path: str
    file: str

    def read(self) -> bytes:
        """Read its bytes; raises UnreadableFileError."""
        return read_bytes(self.file, self.path)


def template_files(folder: str) -> Iterator[TemplateFile]:
    """Yield the templates of a folder: those without a language, in the folder itself, then those of each language."""
    for lang in ("", *languages()):
        subfolder = os.path.join(folder, lang)
        for name in _names(subfolder):
            path = os.path.join(subfolder, name)
            yield TemplateFile(lang, "/".join(part for part in ("templates", lang, name) if part), path)


@cache  # a program may open a workspace for each of its users
def _shipped_template(data: bytes, path: str, lang: str) -> Template:
    from mdmem.formats.template_reader import read_template

    return read_template(data, path, lang)


@cache
def _parsed(data: bytes) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(data.decode())


def _headers(files: Sequence[TemplateFile]) -> list[tuple[str, tuple[str, ...]]]:
    from mdmem.formats.template_reader import read_header

    return [read_header(file.read(), file.path) for file in files]


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted(entry.name for entry in found if entry.name.endswith(".md") and entry.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UnreadableFileError(
            "could not be read: {reason}", path="templates/", facts={"reason": error.strerror}
        ) from error


TEMPLATES = "templates"
# the packages of our code that the result of a lint depends on, and those that the content of an index depends on
LINTED_BY = ("messages", "text", "settings", "formats", "store", "config", "linter")
_INDEXED_BY = ("text", "formats", "search")
RECIPES_FILE = "recipes.toml"  # in the folder of templates
_CODE = (".py", ".pyc")  # not the page of a rule
ACCESSES = "access.json"  # in the state folder: how often each entry was recalled


def shipped_recipes() -> bytes:
    """Return the text of the shipped recipes."""
    return read_bytes(os.path.join(templates_folder(), RECIPES_FILE), RECIPES_FILE)


class WorkspaceConfig:
    """The configuration of a workspace; each part is read on first use."""

    def __init__(self, root: str, lang: str | None = None, *, user: str = "", remember: bool = True) -> None:
        """Bind to a folder, for the user of a name; without one, for the user whose files stand at the root."""
        self.root, self.user = root, user
        self._remember, self.cache = remember, WorkspaceCache(root, enabled=remember)
        self.requested_lang = lang
        self.lenient: Leniency = "no"
        self.mistakes: tuple[ConfigError, ...] = ()  # those that were
        self.held: tuple[HeldFile, ...] = ()  # the broken files in place of which something else holds
        self.stricter: dict[str, Any] = {}  # what they may have made stricter in the table `memory`
        self.loosened: dict[str, str] = {}  # own templates that require less confirmation than the shipped ones
        self.writes = 0  # how often a pen of this workspace has changed files
        self.day = strftime("%Y-%m-%d")  # local time, as the dates in memories

    @property
    def today(self) -> date:
        """The day of this run."""
        return date.fromisoformat(self.day)

    @cached_property
    def settings(self) -> Settings:
        """The shipped settings, overridden by the user's, then by the workspace's; raises ConfigError."""
        from mdmem.settings.tables import Settings

        name = digest(self.key, "settings")
        known = Settings.known(self.cache.get(name))
        if known is None:  # with unchanged files, no TOML is parsed
            from mdmem.config.trust import shipped_boundary, shipped_settings
            from mdmem.settings.reader import Layer, layered

            layers = [(self.user_settings, USER_SETTINGS, True), (self.own_settings, SETTINGS_FILE, self.trusted)]
            mistakes: list[ConfigError] | None = None if self.lenient == "no" else []
            files = [Layer(data, path, yes) for data, path, yes in layers if data is not None]
            base = self._shipped(SETTINGS_FILE, dict, lambda: _parsed(shipped_settings()))
            known = layered(
                base, files, mistakes, whole=self.lenient == "file", boundary=shipped_boundary(),
                recipes=shipped_recipes,
            )  # fmt: skip
            self.mistakes += tuple(mistakes or ())
            if not mistakes:
                self.cache.put(name, known.values)
                for own, user in ((self.own_settings, self.user_settings), (self.user_settings, None)):
                    if own is not None:
                        self.cache.put(_whole(own, user), value=True)
            if self.lenient == "no" and self.own_settings is not None:
                from mdmem.config.held_settings import note_whole

                note_whole(self.root, self.own_settings)
        return known.replace(memory=known.memory._replace(**self.stricter)) if self.stricter else known

    def anew(self) -> WorkspaceConfig:
        """Return a configuration of the same workspace that reads its files anew."""
        return self._made(self.user)

    def _made(self, user: str) -> WorkspaceConfig:
        made = WorkspaceConfig(self.root, self.requested_lang, user=user, remember=self._remember)
        made.lenient = self.lenient
        return made

    def of(self, user: str) -> WorkspaceConfig:
        """Return the configuration of a user; an empty name means the user of this one.

        Raises:
            UsageError: it is bound to another user, or nobody can be called so.
            TargetError: another user's name differs only in its case or width.
        """
        if user in ("", self.user):
            return self
        if self.user:
            from mdmem.messages.catalog import say

            facts = {"user": self.user}
            raise UsageError(say(self.lang, "users.one", **facts), hint=say(self.lang, "users.one.hint", **facts))
        made = self._made(user)
        _ = made.whose
        return made

    def everyone(self, *more: str) -> tuple[WorkspaceConfig, ...]:
        """Return a configuration for each user: this one, and for the user without a name those of all others.

        These are the users that have a folder, and those in `more`; a name that nobody can have is passed over.
        """
        found = [self]
        for name in sorted({*self.whose.users(), *more}) if not self.user else ():
            with suppress(UsageError, TargetError):
                found.append(self.of(name))
        return tuple(found)

    @cached_property
    def whose(self) -> Whose:
        """What belongs to the user, and what the user sees; raises UsageError, TargetError for a wrong name."""
        made = Whose(self, self.user)
        made.check()
        return made

    @cached_property
    def bundles(self) -> InstalledBundles:
        """The bundles of knowledge that are installed."""
        from mdmem.config.installed_bundles import InstalledBundles

        return InstalledBundles(self.root, self.settings.bundles.file_bytes)

    @cached_property
    def git_requests(self) -> tuple[GitRequest, ...]:
        """What the workspace's repository asks git for; empty without one, and for one that is refused."""
        from mdmem.store.git.repository_requests import requests_in

        return requests_in(self.root)

    def pen(self, check: EditCheck | None = None) -> Pen:
        """Return the pen of this workspace, with the local clock; `check` accepts or refuses each change."""
        import datetime as dt

        from mdmem.store.pen import Pen

        def written() -> None:
            self.writes += 1

        check = check or (lambda *_: None)
        return Pen(self.root, self.settings, check, lambda: dt.datetime.now().astimezone(), written)

    def has_state(self, name: str) -> bool:
        """Return whether the state folder contains a file of the user."""
        return os.path.lexists(os.path.join(self.root, self.state_file(name)))

    def state_file(self, name: str) -> str:
        """Return the path of a file of the user in the state folder."""
        return f"{STATE_FOLDER}/{self.whose.place(name)}"

    def is_memory(self, name: str) -> bool:
        """Return whether a file name is the name of a memory file."""
        return is_included(name, self.settings.lint.include, ())

    def most_bytes(self, path: str, settings: LintSettings | None = None) -> int:
        """Return how many bytes of a file are read; an artifact and a session may be longer than a memory."""
        most = (settings or self.settings.lint).max_bytes
        if "artifacts/" not in path and "sessions/" not in path:
            return most
        from mdmem.formats.session import most_bytes

        return max(most, most_bytes(self.settings, path))

    @cached_property
    def linked(self) -> tuple[str, ...]:
        """The places outside to which links of the workspace may lead when it is searched and read, never written."""
        return tuple(map(os.path.expanduser, self.settings.search.linked))

    @cached_property
    def lang(self) -> str:
        """The language of messages and new files: the requested one, that of the settings, or that of the locale."""
        lang = self.requested_lang or self.settings.lang
        return lang if lang in languages() else self.locale_lang

    @cached_property
    def locale_lang(self) -> str:
        """The language of the locale."""
        return locale_language()

    @cached_property
    def schemas(self) -> Schemas:
        """The shipped templates, read on first use, and the workspace's own, which replace them; raises ConfigError."""
        from mdmem.formats.template import Schemas, TemplateOffer

        files = list(template_files(templates_folder()))
        headers = self._shipped(TEMPLATES, list, lambda: _headers(files))
        if len(headers) != len(files):  # another version was installed while this process runs
            headers = _headers(files)

        shipped = [
            TemplateOffer(kind, file.lang, tuple(globs), partial(self._template, file))
            for file, (kind, globs) in zip(files, headers, strict=True)
        ]
        own = self._read_own()
        if not own:
            return Schemas(shipped, self.lang, self.user)
        from mdmem.config.own_templates import limited, loosened

        ours = Schemas(shipped, self.lang)
        self.loosened = loosened(own, ours)
        return Schemas([*shipped, *limited(own, ours, trusted=self.trusted)], self.lang, self.user)

    def template(self, path: str, document: Document | None = None) -> Template | None:
        """Return the template of a file, in the language of its headings; None if it is no memory of a known kind."""
        if path.startswith(f"{TEMPLATES}/"):  # a template is no memory
            return None
        # folders above the root count where the path from the root tells nothing, so that `mdmem lint` inside memory/
        # recognises a daily file, and a workspace in a folder called knowledge/ keeps its kinds
        full = path if self.schemas.kind(path) else os.path.join(self.root, path).replace(os.sep, "/")
        template = self.schemas.match(full)
        if template is None or template.body == "raw" or document is None:
            return template
        lint = self.settings.lint
        if not document.lines.fit(lint.max_lines, lint.max_line_chars):
            return template
        return self.schemas.match(full, document)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The type of each field that a template declares, from the cache if possible; see `Schemas.fields`."""
        name = digest(self.key, "fields")
        known = self.cache.get(name)
        if not isinstance(known, dict):
            known = dict(self.schemas.fields)
            self.cache.put(name, known)
        return known

    def boilerplate(self, kind: str) -> frozenset[str]:
        """Return the lines that the templates of a kind have in any language, from the cache if possible."""
        name = digest(self.key, "boilerplate", kind)
        known = self.cache.get(name)
        if not isinstance(known, list):  # unchanged templates are not parsed again
            from mdmem.formats.placeholders import boilerplate

            known = sorted(boilerplate(self.schemas.languages(kind).values()))
            self.cache.put(name, known)
        return frozenset(known)

    def shipped_rows(self, file: str, *tables: str) -> Iterator[tuple[str, ...]]:
        """Yield lists of words of a shipped file, from the cache if possible; each is a list of texts in its TOML."""
        known = self._shipped(file, dict, lambda: _parsed(read_bytes(os.path.join(templates_folder(), file), file)))
        return (tuple(known[table]) for table in tables)

    def _shipped(self, name: str, kind: type, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - JSON values
        """Return what a shipped file holds; an unchanged one is not parsed again, in no workspace."""
        return self.cache.shipped(name, digest(*_versions(LINTED_BY)), kind, make)

    def _read_own(self) -> list[Template]:
        """Read the workspace's own templates at once, so that an invalid one is reported."""
        if not self._own_templates:
            return []
        from mdmem.formats.template_reader import read_template

        return [read_template(data, path, lang) for lang, path, data in self._own_templates]

    def _template(self, file: TemplateFile) -> Template:
        from mdmem.formats.template import unpack

        packed = self._shipped(file.path, list, lambda: _shipped_template(file.read(), file.path, file.lang).pack())
        return unpack(packed, file.read)

    @cached_property
    def key(self) -> str:
        """A cache key for everything that a finding depends on besides the file: code, templates, settings, language.

        Of the code, only the packages used by a lint count; an architecture test checks that list.
        """
        own = [part for lang, path, data in self._own_templates for part in (lang, path, data)]
        settings = (self.user_settings or b"", self.own_settings or b"", str(self.trusted))
        code = _versions(LINTED_BY)
        return digest(*code, *settings, self.requested_lang or "", self.locale_lang, *own)

    def key_of(self, package: str) -> str:
        """Return a cache key for what the code of one more package makes of the templates and settings."""
        return digest(self.key, _package_version(package))

    @cached_property
    def index_version(self) -> str:
        """A key for everything that an index depends on besides the files: code, all templates, word lists."""
        own = (part for lang, path, data in self._own_templates for part in (lang, path, data))
        return digest(*_versions(_INDEXED_BY), *own, *self.settings.search.generated, str(self.settings.lint.max_lines))

    @cached_property
    def own_settings(self) -> bytes | None:
        """The content of the workspace's mdmem.toml; None if there is none. Raises ConfigError."""

        def read() -> bytes | None:
            return read_settings_file(os.path.join(self.root, SETTINGS_FILE), SETTINGS_FILE, self.root)

        if self.lenient == "held":
            return self._held(self.root, SETTINGS_FILE, read, self.user_settings)
        try:
            return read()
        except ConfigError as error:
            if self.lenient != "file":
                raise
            self.mistakes += (error,)
            return None

    @cached_property
    def user_settings(self) -> bytes | None:
        """The content of the user's own settings; None if there are none. Raises ConfigError."""
        if self.lenient == "held":
            return self._held(config_folder() or "", USER_SETTINGS, user_settings)
        return user_settings()

    def _held(
        self, folder: str, path: str, read: Callable[[], bytes | None], user: bytes | None = None
    ) -> bytes | None:
        """Return the text of a settings file that holds, also if the file is broken."""
        from mdmem.config.held_settings import read_layer

        found = read_layer(
            folder, path, read, user, shipped_recipes, is_whole=lambda data: self.cache.get(_whole(data, user)) is True
        )
        self.mistakes += (found.mistake,) if found.mistake else ()
        self.held += (found.held,) if found.held else ()
        self.stricter |= dict(found.stricter)
        return found.data

    @cached_property
    def trusted(self) -> bool:
        """Whether the user trusts the current settings and templates of the workspace."""
        return self.trust_content is not None and is_trusted(self.root, self.trust_content)

    @cached_property
    def trust_content(self) -> bytes | None:
        """The content that trust is for: the workspace's settings and templates; None without any."""
        own = b"".join(part for _, path, data in self._own_templates for part in (b"\0", path.encode(), b"\0", data))
        return (self.own_settings or b"") + own if own or self.own_settings is not None else None

    def _own_template(self, file: TemplateFile) -> bytes:
        """Read a template of the workspace; refuse one that a link leads to elsewhere."""
        real, top = os.path.realpath(file.file), os.path.join(os.path.realpath(self.root), "")
        if not real.startswith(top):
            raise ConfigError(
                "is a link that leads out of the memory folder, and is not read", path=file.path,
                hint="put a copy of the file there",
            )  # fmt: skip
        return read_settings_file(real, file.path) or b""

    @cached_property
    def _own_templates(self) -> list[tuple[str, str, bytes]]:
        folder = os.path.join(self.root, TEMPLATES)
        if not os.path.isdir(folder) or os.path.realpath(folder) == os.path.realpath(templates_folder()):
            return []  # no templates, or the checkout of mdmem itself
        found = [(file.lang, file.path, self._own_template(file)) for file in template_files(folder)]
        return [one for one in found if b"mdmem:" in one[2]]  # other programs use templates/ too


def _whole(data: bytes, user: bytes | None) -> str:
    """Return the key under which the cache knows that a settings file has no mistake; `user` is the one under it."""
    return digest(*_versions(LINTED_BY), "whole", data, b"" if user is None else b"+" + user)


def _versions(packages: Sequence[str]) -> list[str]:
    """Return a key for each of our packages, and for the templates."""
    return [*map(_package_version, packages), _package_version("")]


@cache
def _package_version(name: str) -> str:
    """Return a key for a package of our code, or for the shipped templates; cached for the life of the process."""
    return signature(os.path.join(code_folder(), name), suffix=_CODE) if name else signature(templates_folder())


def token_counter(settings: TokensSettings) -> TokenCounter:
    """Return the token counter of the settings.

    Raises:
        ConfigError: it is an exact one, and the package for it is not installed.
    """
    counter = count_tokens if settings.counter == "estimate" else _exact(settings.counter)
    return scaled(counter, settings.percent)


def _exact(encoding: str) -> TokenCounter:
    try:
        import toktok
    except ImportError as error:
        message = "`tokens.counter` is {encoding}, but the package for it is not installed"
        hint = '`pip install "mdmem[tokens]"`, or set it to estimate'
        raise ConfigError(message, path="mdmem.toml", hint=hint, facts={"encoding": encoding}) from error
    return lambda text: toktok.batch_count([text], encoding)[0]
