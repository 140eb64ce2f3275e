"""mem0 and the MCP server `memory`: lists of statements. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.importers.model import ImportedFact, ImportProblem, ImportReader, ImportRecord, ImportSource, origin_of
from mdmem.importers.readers.common import JSON_ENDINGS, broken, first_item, listed, moment, objects, text_of

_PEEKED = 3  # keys of an object in front of its list: `count`, `next`, `previous`


def recognizes_mem0(source: ImportSource) -> bool:
    """Return whether a JSON file lists memories as mem0 gives them."""
    return any(_is_mem0(source, name) for name in source.names)


def _is_mem0(source: ImportSource, name: str) -> bool:
    if not name.endswith(JSON_ENDINGS):
        return False
    for at, found in enumerate(objects(source, name, "results", "memories")):
        if not isinstance(found, ImportProblem):
            return "memory" in found[1] and ("id" in found[1] or "hash" in found[1])
        if at >= _PEEKED:
            break
    return False


def read_mem0(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield each memory as a proposal; contradictions stand side by side in mem0, so a person decides."""
    for name in source.names:
        if not _is_mem0(source, name):
            yield from broken(source, name)
            continue
        for found in objects(source, name, "results", "memories"):
            if isinstance(found, ImportProblem):
                yield found
                continue
            place, given = found
            text = " ".join(text_of(given.get("memory")).split())
            if not text:
                yield ImportProblem(place, "import.empty", {}, "skipped")
                continue
            origin = origin_of("mem0", text_of(given.get("id")) or text)
            date = moment(given.get("updated_at") or given.get("created_at"))[:10]
            tags = ",".join(text_of(one) for one in listed(given.get("categories")) if text_of(one))
            yield ImportedFact(
                origin, place, text, date=date, fields={"tags": tags} if tags else None, is_proposal=True
            )


def recognizes_mcp(source: ImportSource) -> bool:
    """Return whether JSON lines are entities and relations."""
    return any(_is_mcp(source, name) for name in source.names)


def _is_mcp(source: ImportSource, name: str) -> bool:
    item = first_item(source, name) if name.endswith(JSON_ENDINGS) else None
    return (
        item is not None
        and isinstance(item.value, Mapping)
        and (
            (item.value.get("type") == "entity" and "observations" in item.value)
            or (item.value.get("type") == "relation" and "relationType" in item.value)
        )
    )


def read_mcp(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield an observation as a fact about its entity, and a relation as a fact about where it begins."""
    for name in source.names:
        if not _is_mcp(source, name):
            yield from broken(source, name)
            continue
        for found in objects(source, name, "entities", "relations"):
            if isinstance(found, ImportProblem):
                yield found
                continue
            place, given = found
            if given.get("type") == "relation":
                begin, end, kind = (text_of(given.get(key)) for key in ("from", "to", "relationType"))
                if not (begin and end and kind):
                    yield ImportProblem(place, "import.empty", {}, "skipped")
                    continue
                origin = origin_of("mcp-memory", begin, kind, end)
                yield ImportedFact(origin, place, f"{begin} {kind} {end}", begin, kind)
                continue
            entity, kind = text_of(given.get("name")), text_of(given.get("entityType"))
            said = [" ".join(text_of(one).split()) for one in listed(given.get("observations"))]
            if not entity or not any(said):
                yield ImportProblem(place, "import.empty", {}, "skipped")
            for one in filter(None, said if entity else ()):
                yield ImportedFact(origin_of("mcp-memory", entity, one), place, one, entity, kind)


MEM0 = ImportReader("mem0", recognizes_mem0, read_mem0)
MCP_MEMORY = ImportReader("mcp-memory", recognizes_mcp, read_mcp)
