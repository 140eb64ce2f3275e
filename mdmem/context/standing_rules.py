"""Read the rules that the user has set as the source of a part: the lasting ones first, each stated once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem
from mdmem.facts.model import Fact
from mdmem.facts.read import fact_words, standing_rules
from mdmem.formats.fact_words import FactWords
from mdmem.formats.sentences import Splitter
from mdmem.messages.catalog import say
from mdmem.text.inline import comments, mask, without_residue
from mdmem.text.similarity import comparison_key

_LASTING = "permanent"  # the priority of rules that come first


def read_rules(config: WorkspaceConfig, checks: ContentChecks, folder: str) -> Material:
    """Return the live rules, the permanent ones first, then the newest; `folder` names where several files are."""
    rules = sorted(standing_rules(config), key=lambda one: (one.priority == _LASTING, one.date), reverse=True)
    said = [_clean(one.text, checks) for one in rules]
    paths = {one.path for one in rules}
    words = fact_words(config)
    again = repeated(said, Splitter(config.settings.sentences).split)
    items: list[MaterialItem] = []
    left: list[OmittedItem] = []
    for index, (rule, text) in enumerate(zip(rules, said, strict=True)):
        line = f"- {text}"
        if not text or index in again:
            left.append(OmittedItem(rule.path, rule.line, line, "repeated" if text else "hidden"))
        else:
            shown = f"- {_about(rule, words, config.lang)}{text}"
            items.append(MaterialItem(shown, 0, rule.line, line, kept=True, position=len(items)))
    group = MaterialGroup(paths.pop() if len(paths) == 1 else folder)
    return Material((group,), tuple(items), tuple(left))


def repeated(texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> frozenset[int]:
    """Return the indexes of the texts of which another one has every sentence; of equal ones the first stays.

    Each text is compared with a bounded number of others, so that the time grows with the number of sentences.
    """
    found: set[int] = set()
    sentences = [frozenset(key for one in split(text) if (key := comparison_key(one).rstrip("."))) for text in texts]
    holders: dict[str, list[int]] = {}
    for index, own in enumerate(sentences):
        for key in own:
            holders.setdefault(key, []).append(index)
    for index, own in enumerate(sentences):
        rarest = min((holders[key] for key in own), key=len, default=())
        others = (other for other in rarest[:_COMPARED] if other != index and own <= sentences[other])
        if any(own != sentences[other] or other < index for other in others):
            found.add(index)
    return frozenset(found)


_COMPARED = 20  # texts with one sentence in common that a text is compared with


def _clean(text: str, checks: ContentChecks) -> str:
    return without_residue(checks.clean(mask(text, comments(text), ""))).strip()


def _about(rule: Fact, words: FactWords, lang: str) -> str:
    """Return the subject of a rule that is not the person and that its text does not name."""
    is_person = words.subject(rule.subject) == words.subject(words.user)
    if is_person or comparison_key(rule.subject) in comparison_key(rule.text):
        return ""
    return f"{rule.subject}{say(lang, 'punctuation.colon')}"
