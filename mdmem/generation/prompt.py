"""Make the prompt for a model from its template: the workspace's own, or the shipped one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import ConfigError, UnreadableFileError
from mdmem.formats.paths import PROMPT_ENDS, PROMPTS
from mdmem.linter.masking import mask
from mdmem.messages.folders import FALLBACK, templates_folder
from mdmem.store.files import read_bytes
from mdmem.store.root import Root, read
from mdmem.text.pattern import pattern

_FILE = "file"
_SLOT = pattern(r"\{\{ *([a-z_]+) *\}\}")
_COMMENT = pattern(r"(?s)\A\s*<!--.*?-->\s*")


def prompt(config: WorkspaceConfig, name: str, lang: str, values: Mapping[str, str]) -> str:
    """Return the prompt of a name in a language, with the values of its slots.

    Raises:
        ConfigError: the workspace's own template has an error.
    """
    text, path = _template(config, name, lang)
    return fill_prompt(text, values, path)


def _template(config: WorkspaceConfig, name: str, lang: str) -> tuple[str, str]:
    """Return the template of a prompt, and its path as messages name it; the workspace's own comes first."""
    own = [f"{PROMPTS}/{folder}{name}{end}" for folder in (f"{lang}/", "") for end in PROMPT_ENDS]
    with Root(config.root) as root:
        for path in own:
            try:
                version = read(root.place(path), config.settings.lint.max_bytes)
            except (FileNotFoundError, UnreadableFileError):
                continue
            if version:
                return version.data.decode("utf-8", "replace"), path
    paths = (f"{one}/{PROMPTS}/{name}{PROMPT_ENDS[0]}" for one in (lang, FALLBACK))
    path = next(one for one in paths if os.path.isfile(os.path.join(templates_folder(), one)))
    return read_bytes(os.path.join(templates_folder(), path), f"templates/{path}").decode(), f"templates/{path}"


def fill_prompt(text: str, values: Mapping[str, str], path: str) -> str:
    """Return a prompt template with its slots (`{{file}}` and others) filled, without its leading comment.

    Secrets are masked, for the prompt is shown to a model, and to whoever asks for it.

    Raises:
        ConfigError: a slot has an unknown name, or `{{file}}` is missing; `path` names the template.
    """
    body = _COMMENT.sub("", text, count=1)
    named = [match.group(1) for match in _SLOT.finditer(body)]
    for name in named:
        if name not in values:
            raise ConfigError(
                "unknown slot `{{{{{name}}}}}`",
                path=path,
                hint="slots: {names}",
                facts={"name": name, "names": ", ".join(sorted(values))},
            )
    if _FILE not in named:
        raise ConfigError("the prompt has no slot `{{file}}`", path=path, hint="the model must see the whole file")
    return mask(_SLOT.sub(lambda match: values[match.group(1)], body).strip()) + "\n"
