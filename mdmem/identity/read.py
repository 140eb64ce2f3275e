"""Read identity files, and their compiled texts: one of these holds only if its digest is that of the source."""

from __future__ import annotations

import datetime as dt
import posixpath
from collections.abc import Mapping, Sequence
from functools import lru_cache

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.sentences import Splitter
from mdmem.formats.template import Template
from mdmem.identity.model import SPECS, CompileBy, CompileSpec, CompileTarget, IdentityText
from mdmem.identity.rules import IdentityChecks, IdentityRules
from mdmem.linter.detect.hidden_text import visible_text
from mdmem.linter.masking import mask
from mdmem.settings.tables import Settings
from mdmem.text.document import Document
from mdmem.wording.importance import ImportanceScorer

_FOLDER = "compiled"
_PERSONAS = "personas"


def compiled_path(source: str, target: CompileTarget) -> str:
    """Return the path of the compiled text of a source: in `compiled/` beside it; for a persona, above its folder."""
    folder = posixpath.dirname(source)
    if posixpath.basename(folder) == _PERSONAS:
        folder = posixpath.dirname(folder)
    return posixpath.join(folder, _FOLDER, SPECS[target].name)


def is_current(compiled: Document | None, digest: str, asked: CompileBy = "rules", tries: int = 1) -> bool:
    """Return whether a compiled text is that of a source.

    Args:
        compiled: the file; None if there is none.
        digest: of the source's bytes.
        asked: `model` if a text that rules wrote holds only if a model was asked first.
        tries: how many of its answers may be refused before the rules' text holds.
    """
    values = _values(compiled)
    if str(values.get("source_digest", "")) != digest:
        return False
    return asked == "rules" or (values.get("asked") == asked and not 0 < refusals(compiled, digest) < tries)


def refusals(compiled: Document | None, digest: str) -> int:
    """Return how many answers of a model about this source were refused."""
    values = _values(compiled)
    refused = values.get("refused") if str(values.get("source_digest", "")) == digest else None
    return refused if isinstance(refused, int) else 0


def _values(compiled: Document | None) -> Mapping[str, object]:
    return compiled.front_matter.values if compiled and compiled.front_matter else {}


def is_by_model(compiled: Document, digest: str) -> bool:
    """Return whether a compiled text is a model's, of this source.

    A text that rules wrote is never read: a pack applies the rules itself, and has more room than their cap.
    """
    return is_current(compiled, digest) and _values(compiled).get("by") == "model"


def identity_rules(config: WorkspaceConfig) -> IdentityRules:
    """Return the rules of a workspace."""
    return _rules(config.settings, config.day)


@lru_cache(maxsize=4)
def _rules(settings: Settings, day: str) -> IdentityRules:
    scorer = ImportanceScorer(settings.keeper, dt.date.fromisoformat(day))
    splitter = Splitter(settings.sentences)
    return IdentityRules(settings.compile, IdentityChecks(_sanitize, scorer.is_kept, splitter.split))


def _sanitize(text: str) -> str:
    return mask(visible_text(text))


_WHOLE = CompileSpec("", "", has_prose=True)


def read_compiled(config: WorkspaceConfig, compiled: Document, templates: Sequence[Template]) -> IdentityText:
    """Return the lines of a compiled text, whichever target it is."""
    return identity_rules(config).read(compiled, templates, _WHOLE)
