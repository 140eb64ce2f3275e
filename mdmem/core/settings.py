"""The settings that belong to no memory file: `templates/mdmem.toml`, the user's over it, the workspace's on top.

The shipped file is the schema: its keys are the valid keys, the types of its values the valid types, and no default
lives in Python. The classes here only give the values names that a type checker knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from mdmem.core.diagnostic import SEVERITIES
from mdmem.errors import ConfigError


class LintSettings(NamedTuple):
    """The table `[lint]`; the shipped file says what each value is for."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_on: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    skip_folders: tuple[str, ...]
    max_bytes: int
    max_line_chars: int
    max_lines: int
    max_front_matter_chars: int
    max_code_lines: int
    near_duplicate: float
    min_duplicate_chars: int
    max_findings_per_rule: int
    parallel_from_bytes: int
    max_query_chars: int


class MemorySettings(NamedTuple):
    """The table `[memory]`."""

    enabled: bool


class PenSettings(NamedTuple):
    """The table `[pen]`."""

    create: tuple[str, ...]
    shrink_ratio: float
    shrink_min_chars: int


class KeeperSettings(NamedTuple):
    """The table `[keeper]`."""

    backend: str
    rules: tuple[str, ...]
    corrections: tuple[str, ...]
    said_rules: tuple[str, ...]
    no_rules: tuple[str, ...]
    asking: tuple[str, ...]
    importance: tuple[str, ...]
    keep_importance: float
    half_life_days: int
    undated_recency: float
    recency_share: float
    copy_worth: float
    fact_worth: int
    said_fact_worth: int
    order_worth: float
    fresh_days: int
    tidy_to: float
    distil_to: float
    distil_min_chars: int
    least_kept: float
    full_at: float
    unsure: tuple[str, ...]
    max_answer_chars: int
    tries: int
    retry_seconds: int
    retry_most_seconds: int


class RecallSettings(NamedTuple):
    """The table `[recall]`."""

    limit: int
    budget: int
    candidates: int
    around: int
    compared: int
    rounds: int
    recent: float
    meaning: float
    agree: int
    agreed: float
    stories: tuple[str, ...]
    after: float
    after_next: float
    before: float
    before_last: float
    story: float
    story_decay: float
    distilled: float
    speaker: float
    asked: float
    when: float
    time: int
    near: float
    near_days: int
    day: float
    read_days: int
    recent_days: int
    relevance: float
    recency: float
    importance: float
    access: float
    half_life_days: int
    access_half: int
    same: float
    same_now: float
    alike: float
    minimum: float
    doubt: float
    doubtful: int
    least: float
    superseded: tuple[str, ...]
    persona: tuple[str, ...]
    triggers: tuple[str, ...]


class StoreSettings(NamedTuple):
    """The table `[store]`."""

    lock_seconds: int
    stable_ms: int
    lease_ms: int
    grave_seconds: int
    keep_days: int
    keep_bytes: int


class SessionSettings(NamedTuple):
    """The table `[session]`."""

    write: bool
    open_among: int
    slug_chars: int
    task_chars: int
    list: int


class WatchSettings(NamedTuple):
    """The table `[watch]`."""

    keep: bool
    debounce_ms: int
    burst_ms: int
    poll_ms: int
    look_again_seconds: int
    quiet_seconds: int
    busy_seconds: int


class ArtifactSettings(NamedTuple):
    """The table `[artifacts]`."""

    max_bytes: int
    input_chars: int
    line_chars: int
    reply_chars: int
    first_lines: int
    found_lines: int
    found_chars: int
    search_chars: int
    search_seconds: int
    listed: int
    keep_days: int
    keep_bytes: int
    let_go: tuple[str, ...]


class SearchSettings(NamedTuple):
    """The table `[search]`."""

    lock_seconds: int
    garbage: float
    k1: float
    b: float
    place_weight: float
    places: int


class CommandSettings(NamedTuple):
    """The table `[command]`."""

    run: tuple[str, ...]
    seconds: int
    max_bytes: int


class OpenAISettings(NamedTuple):
    """The table `[openai]`."""

    base_url: str
    model: str
    key_env: str
    seconds: int
    attempts: int
    wait_seconds: int
    max_wait_seconds: int
    max_bytes: int


class VectorSettings(NamedTuple):
    """The table `[vectors]`."""

    backend: str
    model: str
    base_url: str
    key_env: str
    dimensions: int
    batch: int
    max_chars: int
    nearest: int
    seconds: int
    attempts: int
    fill_seconds: int
    rest_seconds: int
    rows_without_numpy: int


class TokensSettings(NamedTuple):
    """The table `[tokens]`."""

    counter: str
    percent: int


class NotebookSettings(NamedTuple):
    """The table `[notebook]`."""

    runs: bool
    note_chars: int


class Settings(NamedTuple):
    """All settings of a workspace."""

    lang: str  # zh, en, auto
    lint: LintSettings
    memory: MemorySettings
    pen: PenSettings
    keeper: KeeperSettings
    recall: RecallSettings
    store: StoreSettings
    session: SessionSettings
    watch: WatchSettings
    artifacts: ArtifactSettings
    search: SearchSettings
    command: CommandSettings
    openai: OpenAISettings
    vectors: VectorSettings
    notebook: NotebookSettings
    tokens: TokensSettings

    def as_list(self) -> list[Any]:
        """Give the values as JSON's types."""
        return [self.lang, *(list(getattr(self, name)) for name in _TABLES)]

    @classmethod
    def from_list(cls, values: Any) -> Self | None:  # noqa: ANN401 - it is checked here
        """Read what `as_list` gave; None for anything else."""
        if not isinstance(values, list) or len(values) != 1 + len(_TABLES):
            return None
        lang, *rows = values
        if any(len(row) != len(table._fields) for row, table in zip(rows, _TABLES.values(), strict=True)):
            return None
        named = zip(_TABLES.items(), rows, strict=True)
        return cls(lang, **{name: table(*map(_frozen, row)) for (name, table), row in named})


_TABLES: dict[str, Any] = {
    "lint": LintSettings,
    "memory": MemorySettings,
    "pen": PenSettings,
    "keeper": KeeperSettings,
    "recall": RecallSettings,
    "store": StoreSettings,
    "session": SessionSettings,
    "watch": WatchSettings,
    "artifacts": ArtifactSettings,
    "search": SearchSettings,
    "command": CommandSettings,
    "openai": OpenAISettings,
    "vectors": VectorSettings,
    "notebook": NotebookSettings,
    "tokens": TokensSettings,
}
# What runs a program or sends text away: not for a workspace to set, which may be somebody else's, without trust.
_CLOSED = ("command", "openai", "vectors")  # whole tables
_CHOOSES = ("keeper", "backend")  # the key that chooses between them


def _frozen(value: Any) -> Any:  # noqa: ANN401 - what TOML and JSON hold
    return tuple(value) if isinstance(value, list) else value


class Layer(NamedTuple):
    """A settings file that lies over those before it; one that is not trusted may not set what is closed."""

    data: bytes
    path: str  # in messages
    trusted: bool


def read_settings(shipped: bytes, layers: Sequence[Layer] = ()) -> Settings:
    """Lay settings over the shipped ones, the last on top.

    Raises:
        ConfigError: the TOML is broken, a key is unknown or of another type; says file, line and valid keys.
    """
    values = base = parse_toml(shipped, "")
    for layer in layers:
        given = {key: value for key, value in parse_toml(layer.data, layer.path).items() if key not in RECIPES}
        text = layer.data.decode("utf-8", "replace")
        _over(base, given, text, layer.path, "")  # what is not heard must be right all the same
        values = _over(values, given if layer.trusted else _open(given), text, layer.path, "")
    tables = {
        name: table(**{key: _frozen(value) for key, value in values[name].items()}) for name, table in _TABLES.items()
    }
    return Settings(values["lang"], **tables)


RECIPES = ("recipe", "part", "marker")  # tables of the packer: `context.recipe` reads and checks them


def closed_settings(data: bytes, path: str) -> dict[str, Any]:
    """Give what a settings file says that needs trust, table by table; raises ConfigError."""
    given = parse_toml(data, path)
    heard = _open(given)
    return {key: value for key, value in given.items() if heard.get(key) != value}


def _open(given: dict[str, Any]) -> dict[str, Any]:
    """Leave out what needs trust."""
    heard = {key: value for key, value in given.items() if key not in _CLOSED}
    table, key = _CHOOSES
    chosen = heard.get(table)
    if isinstance(chosen, dict) and chosen.get(key) in _CLOSED:
        heard[table] = {name: value for name, value in chosen.items() if name != key}
    return heard


def parse_toml(data: bytes, path: str) -> dict[str, Any]:
    """Parse TOML; raises ConfigError with the line."""
    import tomllib  # a fifth of a start-up; a lint answered from the cache reads no TOML

    try:
        return tomllib.loads(data.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise ConfigError(str(error), path=path, line=int(line.group(1)) if line else 1) from error


def _over(base: dict[str, Any], given: dict[str, Any], text: str, path: str, table: str) -> dict[str, Any]:
    merged = dict(base)
    for key, value in given.items():
        line = line_of(text, key)
        if key not in base:
            valid = ", ".join(sorted(base))
            raise ConfigError(f"unknown key `{table}{key}`", path=path, line=line, hint=f"valid keys: {valid}")
        wanted = base[key]
        if isinstance(wanted, dict) and isinstance(value, dict):
            merged[key] = _over(wanted, value, text, path, f"{key}.")
            continue
        if not _fits(value, wanted):
            raise ConfigError(f"`{table}{key}` must be {_KINDS[type(wanted)]}", path=path, line=line)
        if value not in (choices := _CHOICES.get(f"{table}{key}", (value,))):
            raise ConfigError(f"`{table}{key}` must be one of: {', '.join(choices)}", path=path, line=line)
        merged[key] = value
    return merged


_CHOICES: dict[str, tuple[str, ...]] = {
    "lang": ("zh", "en", "auto"),
    "lint.fail_on": SEVERITIES,
    "keeper.backend": ("rules", "command", "openai", "agent"),
    "vectors.backend": ("none", "local", "openai"),
    "tokens.counter": ("estimate", "o200k_base", "cl100k_base", "qwen3.5"),
}
_KINDS = {
    bool: "true or false",
    int: "a whole number above 0",
    float: "a share between 0 and 1",
    str: "a text",
    list: "a list of texts",
    dict: "a table",
}


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(wanted, bool)
    if isinstance(wanted, float):
        return isinstance(value, int | float) and 0 <= value <= 1
    if isinstance(wanted, int):
        return isinstance(value, int) and value >= min(wanted, 1)  # 0 only where it is the shipped value
    if isinstance(wanted, list):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, type(wanted))


def line_of(text: str, key: str) -> int:
    """Give the line of a key, 1-based; tomllib does not tell it."""
    found = re.search(rf"^[ \t]*(?:\[[ \t]*)?[\"']?{re.escape(key)}[\"']?[ \t]*[=\].]", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1
