"""What holds in one workspace: its settings, its templates, its language, and a key that changes when they do."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import cache, cached_property, partial
from time import strftime
from typing import TYPE_CHECKING

from mdmem.store.bundled import TemplateFile, code_folder, template_files, templates_folder
from mdmem.store.cache import Cache, digest, signature, stamp
from mdmem.store.files import read_bytes
from mdmem.store.trust import USER_SETTINGS, is_trusted, user_settings
from mdmem.store.walk import SETTINGS_FILE, STATE_FOLDER, is_included

LANGUAGES = ("zh", "en")
TEMPLATES = "templates"
# of our code: the rooms that a lint goes through, and the modules of its journey; the same of what an index holds
LINTED_BY = ("core", "linter", "store")
JOURNEY = ("__init__", "config", "judge", "lint", "source", "verdict")
_INDEXED_BY = ("core", "index")
_INDEXING = ("index_source", "index_months")
_CODE = (".py", ".pyc")  # not a rule's page
ACCESSES = "access.json"  # in the state folder: how often what was recalled

if TYPE_CHECKING:
    from mdmem.core.schemas import Schemas
    from mdmem.core.settings.tables import Settings
    from mdmem.core.template import Template
    from mdmem.store.draft import Judge
    from mdmem.store.pen import Pen


class Config:
    """The configuration of a workspace, each part read when it is first needed."""

    def __init__(self, root: str, lang: str | None = None, *, remember: bool = True) -> None:
        self.root = root
        self.cache = Cache(root, enabled=remember)
        self.lang_given = lang
        self.loosened: dict[str, str] = {}  # what the workspace's own templates ask less than the shipped ones
        self.day = strftime("%Y-%m-%d")  # local: a memory's dates are its writer's own

    @cached_property
    def settings(self) -> Settings:
        """The shipped settings with the user's over them and the workspace's on top; raises ConfigError."""
        from mdmem.core.settings.tables import Settings

        name = digest(self.key, "settings")
        known = Settings.known(self.cache.get(name))
        if known is None:  # an unchanged run parses no TOML
            from mdmem.core.settings.layers import Layer, read_settings

            shipped = read_bytes(os.path.join(templates_folder(), SETTINGS_FILE), SETTINGS_FILE)
            layers = [(self.user_settings, USER_SETTINGS, True), (self.own_settings, SETTINGS_FILE, self.trusted)]
            known = read_settings(shipped, [Layer(data, path, yes) for data, path, yes in layers if data is not None])
            self.cache.put(name, known.values)
        return known

    def pen(self, judge: Judge | None = None) -> Pen:
        """Take up the pen of this workspace, under this machine's clock; without a judge, what it writes is proved."""
        import datetime as dt

        from mdmem.store.pen import Pen

        return Pen(self.root, self.settings, judge or (lambda *_: None), lambda: dt.datetime.now().astimezone())

    def has_state(self, name: str) -> bool:
        """Tell whether the state folder holds something of that name."""
        return os.path.lexists(os.path.join(self.root, STATE_FOLDER, name))

    def is_memory(self, name: str) -> bool:
        """Tell whether a file's name is that of a memory file."""
        return is_included(name, self.settings.lint.include, ())

    @cached_property
    def lang(self) -> str:
        """The language of messages and new files: as given, as set, else by the locale."""
        lang = self.lang_given or self.settings.lang
        return lang if lang in LANGUAGES else self.spoken

    @cached_property
    def spoken(self) -> str:
        locale = next((os.environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(key)), "")
        return "zh" if locale.startswith("zh") else "en"

    @cached_property
    def schemas(self) -> Schemas:
        """The shipped templates, read when asked for, and the workspace's own in their place; raises ConfigError."""
        from mdmem.core.schemas import Offer, Schemas

        name = digest(self.key, "templates")
        files = list(template_files(templates_folder()))
        headers = self.cache.get(name)
        if not isinstance(headers, list) or len(headers) != len(files):
            from mdmem.core.template_read import read_header

            headers = [read_header(file.read(), file.path) for file in files]
            self.cache.put(name, headers)

        shipped = [
            Offer(kind, file.lang, tuple(globs), partial(self._template, file))
            for file, (kind, globs) in zip(files, headers, strict=True)
        ]
        own = self._read_own()
        if not own:
            return Schemas(shipped, self.lang)
        from mdmem.workspace.own_templates import limited, loosened

        ours = Schemas(shipped, self.lang)
        self.loosened = loosened(own, ours)
        return Schemas([*shipped, *limited(own, ours, trusted=self.trusted)], self.lang)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The type of each field that a template declares; see `Schemas.fields`. An unchanged run reads no template."""
        name = digest(self.key, "fields")
        known = self.cache.get(name)
        if not isinstance(known, dict):
            known = dict(self.schemas.fields)
            self.cache.put(name, known)
        return known

    def _read_own(self) -> list[Template]:
        """Read the workspace's own templates at once: a wrong one must be told."""
        if not self._own_templates:
            return []
        from mdmem.core.template_read import read_template

        return [read_template(data, path, lang) for lang, path, data in self._own_templates]

    def _template(self, file: TemplateFile) -> Template:
        from mdmem.core.template import unpack

        key = digest(self.key, "template", file.path)
        known = self.cache.get(key)
        if isinstance(known, list):  # an unchanged template costs no YAML
            return unpack(known, file.read)
        from mdmem.core.template_read import read_template

        template = read_template(file.read(), file.path, file.lang)
        self.cache.put(key, template.pack())
        return template

    @cached_property
    def key(self) -> str:
        """A key for all that a finding depends on besides the file: code, templates, settings, language.

        Of the code those rooms and modules count that a lint goes through; an architecture test holds it to them.
        """
        own = [part for lang, path, data in self._own_templates for part in (lang, path, data)]
        settings = (self.user_settings or b"", self.own_settings or b"", str(self.trusted))
        code = _versions(LINTED_BY, JOURNEY)
        return digest(*code, *settings, self.lang_given or self.spoken, *own)

    @cached_property
    def index_version(self) -> str:
        """A key for what an index depends on besides the files: code, templates in whatever language, word lists."""
        own = (part for lang, path, data in self._own_templates for part in (lang, path, data))
        return digest(
            *_versions(_INDEXED_BY, _INDEXING), *own, *self.settings.search.generated, str(self.settings.lint.max_lines)
        )

    @cached_property
    def own_settings(self) -> bytes | None:
        """What the workspace's mdmem.toml holds; None where there is none."""
        path = os.path.join(self.root, SETTINGS_FILE)
        return read_bytes(path, SETTINGS_FILE) if os.path.isfile(path) else None

    @cached_property
    def user_settings(self) -> bytes | None:
        return user_settings()

    @cached_property
    def trusted(self) -> bool:
        """Whether the user trusts what the workspace brings, as it is now."""
        return self.asks_trust is not None and is_trusted(self.root, self.asks_trust)

    @cached_property
    def asks_trust(self) -> bytes | None:
        """What a mark of trust is for: the settings and templates that the workspace brings; None without any."""
        own = b"".join(part for _, path, data in self._own_templates for part in (b"\0", path.encode(), b"\0", data))
        return (self.own_settings or b"") + own if own or self.own_settings is not None else None

    @cached_property
    def _own_templates(self) -> list[tuple[str, str, bytes]]:
        folder = os.path.join(self.root, TEMPLATES)
        if not os.path.isdir(folder) or os.path.realpath(folder) == os.path.realpath(templates_folder()):
            return []  # none, or mdmem's own checkout
        found = [(file.lang, file.path, file.read()) for file in template_files(folder)]
        return [one for one in found if b"mdmem:" in one[2]]  # other programs have templates/ too


def _versions(rooms: Sequence[str], journey: Collection[str]) -> list[str]:
    """Give a key for each room of our code and each module of a journey, and for the templates."""
    with os.scandir(os.path.join(code_folder(), "workspace")) as found:
        modules = sorted(stamp(one.name, one.stat()) for one in found if one.name.partition(".")[0] in journey)
    return [*map(_room, rooms), *modules, _room("")]


@cache
def _room(name: str) -> str:
    """Give a key for a room of our code, or for the shipped templates; neither changes while a process runs."""
    return signature(os.path.join(code_folder(), name), suffix=_CODE) if name else signature(templates_folder())
