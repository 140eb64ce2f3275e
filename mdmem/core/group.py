"""A template's front matter, asked key by key: the keys that were asked for are the valid ones."""

from __future__ import annotations

from mdmem.core.text import Lines
from mdmem.core.yaml import Node
from mdmem.errors import ConfigError


class Group:
    """One mapping of a template; every refusal names the file, the line and what would be right."""

    def __init__(self, node: Node, path: str, lines: Lines, name: str) -> None:
        self.path, self.lines, self.name = path, lines, name
        self.node = node
        if not isinstance(node.value, dict):
            raise self.error(node, f"`{name}` must be a mapping")
        self.members = node.value
        self.asked: list[str] = []

    def error(self, node: Node, message: str, hint: str = "") -> ConfigError:
        """Make the error that points at a node's line."""
        return ConfigError(message, path=self.path, line=self.lines.at((node.key or node.span).start) + 1, hint=hint)

    def get(self, key: str) -> Node | None:
        """Ask for a key; a null counts as absent."""
        self.asked.append(key)
        node = self.members.get(key)
        return None if node is None or node.value is None else node

    def text(self, key: str) -> str:
        """Give a required text."""
        node = self.get(key)
        if node is None or not isinstance(node.value, str):
            raise self.error(node or self.node, f"`{self.name}.{key}` must be a text")
        return node.value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Give a list of texts; required where there is no default."""
        node = self.get(key)
        if node is None and default is not None:
            return default
        if node is None or not isinstance(node.value, list) or not all(isinstance(n.value, str) for n in node.value):
            raise self.error(node or self.node, f"`{self.name}.{key}` must be a list of texts")
        return tuple(str(item.value) for item in node.value)

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Give one of a few words."""
        node = self.get(key)
        if node is None and default is not None:
            return default
        if node is None or node.value not in choices:
            raise self.error(node or self.node, f"`{self.name}.{key}` must be one of: {', '.join(choices)}")
        return str(node.value)

    def number(self, key: str, default: int | None) -> int | None:
        """Give a whole number above zero."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value < 1:
            raise self.error(node, f"`{self.name}.{key}` must be a whole number above 0")
        return node.value

    def bound(self, key: str) -> float | None:
        """Return an end of a range, which may be any number."""
        node = self.get(key)
        if node is None:
            return None
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.error(node, f"`{self.name}.{key}` must be a number")
        return float(node.value)

    def ratio(self, key: str) -> float | None:
        """Give a share between 0 and 1."""
        node = self.get(key)
        if node is None:
            return None
        if not isinstance(node.value, int | float) or isinstance(node.value, bool) or not 0 <= node.value <= 1:
            raise self.error(node, f"`{self.name}.{key}` must be a share between 0 and 1")
        return float(node.value)

    def flag(self, key: str, *, default: bool) -> bool:
        """Give true or false."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, bool):
            raise self.error(node, f"`{self.name}.{key}` must be true or false")
        return node.value

    def group(self, key: str) -> Group:
        """Give a mapping below this one; empty where it is absent."""
        node = self.get(key) or Node({}, self.node.span)
        return Group(node, self.path, self.lines, f"{self.name}.{key}")

    def groups(self, key: str) -> dict[str, Group]:
        """Give a mapping whose values are mappings."""
        return {
            name: Group(node, self.path, self.lines, f"{self.name}.{key}.{name}")
            for name, node in self.group(key).members.items()
        }

    def words(self, key: str) -> dict[str, tuple[str, ...]]:
        """Give a mapping whose values are lists of texts."""
        group = self.group(key)
        return {name: group.texts(name) for name in group.members}

    def numbers(self, key: str) -> dict[str, float]:
        """Give a mapping whose values are numbers above zero."""
        group = self.group(key)
        for name, node in group.members.items():
            if not isinstance(node.value, int | float) or isinstance(node.value, bool) or node.value <= 0:
                raise group.error(node, f"`{group.name}.{name}` must be a number above 0")
        return {name: node.value for name, node in group.members.items() if isinstance(node.value, int | float)}

    def known(self, key: str, valid: list[str]) -> None:
        """Refuse names below a key, listed or as keys of a mapping, that are no heading of the template's body."""
        value = self.members[key].value if key in self.members else None
        named = list(value.items()) if isinstance(value, dict) else []
        named += [(str(node.value), node) for node in value] if isinstance(value, list) else []
        for name, node in named:
            if name not in valid:
                raise self.error(node, f"no heading is named `{name}`", f"the headings are: {', '.join(valid)}")

    def done(self) -> None:
        """Refuse the keys that nobody asked for."""
        for key, node in self.members.items():
            if key not in self.asked:
                valid = ", ".join(sorted(self.asked))
                raise self.error(node, f"unknown key `{self.name}.{key}`", f"valid keys: {valid}")
