"""Choose the pieces of knowledge that fit a task, by the ranking of the search, and name what they contradict."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.knowledge.opposed_orders import opposed, read_orders, same_share
from mdmem.knowledge.model import Contradiction
from mdmem.knowledge.read import KIND, OpenPiece, name_of, open_piece
from mdmem.messages.catalog import say
from mdmem.search.answer import AnswerRequest, AnswerSearch
from mdmem.search.candidates import Near
from mdmem.search.index import IndexRow, SearchIndex
from mdmem.search.service import SearchFilter, no_vector_hits

_LINES = 10  # lines of an answer for each piece that is wanted: a piece may hold several of the best


def fitting_pieces(
    config: WorkspaceConfig, index: SearchIndex, task: str, near: Near = no_vector_hits, most: int | None = None
) -> tuple[str, ...]:
    """Return the names of the pieces that fit a task, the best first; none if none surely does."""
    settings = config.settings
    most = settings.knowledge.packed if most is None else most
    if not (settings.memory.enabled and task.strip() and most):
        return ()
    question = task[: settings.search.query_chars]
    asker = AnswerRequest(most * _LINES, sure=True, ranked=settings.recall.searched)
    filters = SearchFilter(kinds=(KIND,))

    def keep(row: IndexRow) -> bool:
        return filters.keep(row) and not config.bundles.withholds(row.path)

    found, _, _, unknown = AnswerSearch(config, index, question, near, asker).answer(keep, None)
    names = dict.fromkeys(name_of(one.row.path) for one in found)
    return () if unknown else tuple(names)[:most]


def open_pieces(config: WorkspaceConfig, names: Sequence[str]) -> tuple[OpenPiece, ...]:
    """Read pieces, those of higher precedence first, else in their order; a name may end in `@version`."""
    parts = [name.partition("@") for name in dict.fromkeys(names)]
    found = [open_piece(config, name, version) for name, _, version in parts]
    return tuple(sorted(found, key=lambda one: -one.piece.precedence))


def find_contradictions(config: WorkspaceConfig, pieces: Sequence[OpenPiece]) -> tuple[Contradiction, ...]:
    """Return the contradictions between some pieces; the first is that of higher precedence, else the earlier one."""
    ordered = sorted(pieces, key=lambda one: -one.piece.precedence)
    orders = [order for one in ordered for order in read_orders(one.piece.name, one.document, one.template)]
    share = same_share(config.schemas.required(KIND))
    return tuple(
        Contradiction(one.piece, one.line, one.text, other.piece, other.line, other.text)
        for one, other in opposed(orders, share, across=True)
    )


def say_contradiction(lang: str, one: Contradiction) -> str:
    """Return a contradiction in one sentence."""
    facts = {"a": one.first, "a_line": one.first_line, "a_text": one.first_text,
             "b": one.second, "b_line": one.second_line, "b_text": one.second_text}  # fmt: skip
    return say(lang, "knowledge.contradiction", **facts)
