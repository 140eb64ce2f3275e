"""Build the parts of a pack: choose the items that fit, render them, and share the budget between parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from mdmem.context.cuts import CUTS, CutOptions, CutOrder
from mdmem.context.model import FADED, SEPARATOR, Material, MaterialGroup, MaterialItem, OmittedItem, Pack, PackPart
from mdmem.context.recipe import Recipe, RecipePart
from mdmem.context.repeats import repeated, says, without

_CAPPED = "standing"  # the source that takes nothing of what others leave: it grows with each rule
_GROWING = ("standing", "recall", "sessions")  # sources of which every line was made from what was said
_TRIES = 12  # items after the first that does not fit, which are tried too


def fit(order: CutOrder, fits: Callable[[frozenset[int]], bool]) -> frozenset[int] | None:
    """Return the items that are shown; None if not even the marker for omitted items fits."""
    everything = frozenset(order.items)
    if fits(everything):
        return everything
    if not fits(frozenset()):
        return _single(order, fits)
    stops = order.stops or tuple(range(len(order.items) + 1))
    most = _longest(order, stops, fits)
    if order.stops:
        # no whole block fits, so a part of one is shown
        return frozenset(order.items[: most or _longest(order, tuple(range(len(order.items) + 1)), fits)])
    shown = set(order.items[:most])
    # while a rule does not fit, only other rules are tried
    end = order.kept if most < order.kept else len(order.items)
    for item in order.items[most + 1 : min(end, most + 1 + _TRIES)]:
        if fits(frozenset((*shown, item))):
            shown.add(item)
    return frozenset(shown)


def _longest(order: CutOrder, stops: tuple[int, ...], fits: Callable[[frozenset[int]], bool]) -> int:
    low, high = 0, len(stops) - 1  # stops[low] fits
    while low < high:
        middle = (low + high + 1) // 2
        if fits(frozenset(order.items[: stops[middle]])):
            low = middle
        else:
            high = middle - 1
    return stops[low]


def _single(order: CutOrder, fits: Callable[[frozenset[int]], bool]) -> frozenset[int] | None:
    """Return the first item if it fits alone: the marker may need more room than the item."""
    return next((one for item in order.items[:1] if fits(one := frozenset((item,)))), None)


_DEEPEST = 6


class Style(NamedTuple):
    """How a source is rendered."""

    level: int  # of the part's title; headings are below it
    marker: str  # with {count} and {path}
    where: str = "gap"  # as in `cuts.Cut`; with `each`, the headings of all groups with items are shown

    def mark(self, count: int, path: str) -> str:
        """Return the marker for omitted items; empty for none."""
        return self.marker.format(count=count, path=path) if count else ""


def render(material: Material, shown: frozenset[int], style: Style) -> str:
    """Return the text of the shown items, with markers for the others."""
    own = _by_group(material)
    heads = _headed(material, own, shown, style)
    shift = style.level + 1 - min((group.level for group in material.groups if group.level), default=1)
    missing = len(material.items) - len(shown)
    out: list[str] = []
    for index, group in enumerate(material.groups):
        items = own.get(index, [])
        lost = sum(item not in shown for item in items)
        mark = ""
        if style.where == "each":
            mark = style.mark(lost, group.path)
        elif style.where == "gap" and lost:
            mark, missing = style.mark(missing, group.path), 0
        title = _heading(group, shift) if index in heads and group.level else ""
        out += [text for text in (title, _body(material, items, shown, mark, last=style.where == "each")) if text]
    if style.where == "end" and missing:
        out.append(style.mark(missing, ", ".join(dict.fromkeys(filter(None, (one.path for one in material.groups))))))
    return "\n\n".join((*out, *material.notes))


def _by_group(material: Material) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index, item in enumerate(material.items):
        found.setdefault(item.group, []).append(index)
    return found


def _headed(material: Material, own: Mapping[int, list[int]], shown: frozenset[int], style: Style) -> set[int]:
    """Return the groups whose heading is shown: those with shown items, and the groups around them.

    With `each` it is enough that a group has items, for its marker counts those that are not shown.
    """
    found: set[int] = set()
    for index, items in own.items():
        at: int | None = index if style.where == "each" or any(item in shown for item in items) else None
        while at is not None and at not in found:
            found.add(at)
            at = material.groups[at].parent
    return found


def _heading(group: MaterialGroup, shift: int) -> str:
    return f"{'#' * max(1, min(_DEEPEST, group.level + shift))} {group.title}"


def _body(material: Material, items: list[int], shown: frozenset[int], mark: str, *, last: bool) -> str:
    out = ""
    before: int | None = None
    for index in items:
        item = material.items[index]
        if index not in shown:
            if mark and not last:
                out += ("\n\n" if out else "") + mark
                mark, before = "", None
            continue
        separator = item.separator if before == index - 1 else "\n\n" if before is None else "\n"
        out += (separator if out else "") + item.text
        before = index
    return out + (("\n" if out else "") + mark if mark else "")


TokenCounter = Callable[[str], int]


class CachedTokenCounter:
    """A token counter that caches its results."""

    def __init__(self, count: TokenCounter) -> None:
        self._count = count
        self._cached: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text."""
        if text not in self._cached:
            self._cached[text] = self._count(text)
        return self._cached[text]


_EMPTY = Material()


class PartSource(NamedTuple):
    """The content of a part, and how to cut it."""

    material: Material = _EMPTY
    why: str = ""  # why there is no content: missing, empty, off, unreadable, unknown
    filled_by: str = ""  # the file or option that would fill the part
    cut: str = "head"
    head: float = 0.7
    tail: float = 0.2
    wanted: frozenset[int] | None = None  # the items that the view of the file shows; None for all
    whole: Material | None = None  # shown instead if all of it fits
    whole_tokens: int | None = None  # the most tokens of `whole`; None for no limit
    markers: Mapping[str, str] = {}  # cut, more, older


class BuiltPart(NamedTuple):
    """A part, built for one budget."""

    text: str
    cost: int  # tokens, including the separator
    material: Material
    shown: frozenset[int]
    room: int | None


class PartBuilder:
    """Builds one part for different budgets."""

    def __init__(self, slot: RecipePart, source: PartSource, counter: CachedTokenCounter, lang: str) -> None:
        self.slot, self.source, self.counter, self._lang = slot, source, counter, lang
        self.title = slot.titled(lang)
        self.cut = CUTS[source.cut]
        self.style = Style(slot.level, source.markers.get(self.cut.marker, ""), self.cut.where)

    def build(self, room: int | None, *, capped: bool = True) -> BuiltPart:
        """Build the part for a number of tokens (None for no limit); `capped` applies its own cap too."""
        if capped:
            room = self.slot.tokens if room is None else min(room, self.slot.tokens or room)
        whole = self.source.whole
        if whole is not None:
            every = frozenset(range(len(whole.items)))
            text = self._text(whole, every)
            if all(most is None or self._cost(text) <= most for most in (room, self.source.whole_tokens)):
                return BuiltPart(text, self._cost(text), whole, every, room)
        return self._fitted(self._candidates, room)

    def without(self, keys: frozenset[str]) -> PartBuilder:
        """Return the builder of this part without the lines of these keys, which another part shows."""
        if not keys:
            return self
        source = self.source
        material, kept = without(source.material, keys)
        wanted = source.wanted
        if wanted is not None:
            wanted = frozenset(new for new, old in enumerate(kept) if old in wanted)
        whole = without(source.whole, keys)[0] if source.whole else None
        why = source.why if material.items or material.notes else "repeated"
        less = source._replace(material=material, wanted=wanted, whole=whole, why=why)
        return PartBuilder(self.slot, less, self.counter, self._lang)

    @cached_property
    def rules(self) -> int:
        """The tokens of the rules, which are cut last."""
        kept = {index: item for index, item in self._candidates.items() if item.kept}
        return self._fitted(kept, self.slot.tokens).cost if kept else 0

    @cached_property
    def _candidates(self) -> dict[int, MaterialItem]:
        wanted = self.source.wanted
        return {
            index: item for index, item in enumerate(self.source.material.items) if wanted is None or index in wanted
        }

    def _fitted(self, items: Mapping[int, MaterialItem], room: int | None) -> BuiltPart:
        material = self.source.material
        options = CutOptions(self.slot.step, self.source.head, self.source.tail)
        order = self.cut.order(items, options)

        def fits(shown: frozenset[int]) -> bool:
            return room is None or self._cost(self._text(material, shown)) <= room

        shown = fit(order, fits)
        # a title alone is not shown, except with markers for sections whose entries are all too long
        is_empty = not (shown or material.notes or (self.cut.where == "each" and not items))
        if shown is None or is_empty:
            return BuiltPart("", 0, material, frozenset(), room)
        text = self._text(material, shown)
        return BuiltPart(text, self._cost(text), material, shown, room)

    def _text(self, material: Material, shown: frozenset[int]) -> str:
        body = render(material, shown, self.style)
        return f"{'#' * self.slot.level} {self.title}\n\n{body}" if body else ""

    def _cost(self, text: str) -> int:
        return self.counter(text + SEPARATOR) if text else 0

    def part(self, built: BuiltPart) -> PackPart:
        """Return the part of the pack, with the omitted items and the reasons."""
        material, wanted = built.material, self.source.wanted
        left = list(material.left)
        if built.material is self.source.material:
            for index, item in enumerate(material.items):
                if index not in built.shown:
                    why = "view" if wanted is not None and index not in wanted else "budget"
                    left.append(OmittedItem(material.path_of(item), item.line, item.source_text, why))
        if not built.text and material.notes:
            left += [OmittedItem("", 0, note, "budget") for note in material.notes]
        why = self.source.why or ("" if built.text else "budget")
        tokens = self.counter(built.text)
        shown = (material.items[index] for index in built.shown if built.material is self.source.material)
        grown = sum(self.counter(item.text) for item in shown if item.repeats or self.slot.source in _GROWING)
        return PackPart(
            self.slot.name, self.title, self.slot.role, built.text, tokens, built.room, len(built.shown),
            tuple(left), "" if built.text else why, self.source.filled_by, grown,
        )  # fmt: skip


_ROUNDS = 8  # attempts with a smaller budget, for counters that count more for the whole than for its parts


def pack(
    recipe: Recipe,
    sources: Mapping[str, PartSource],
    *,
    budget: int,
    counter: CachedTokenCounter,
    lang: str,
    state: Mapping[str, Any],
) -> Pack:
    """Return the pack of the sources, one for each part of the recipe, within a budget of tokens."""
    builders = [PartBuilder(slot, sources[slot.name], counter, lang) for slot in recipe.slots]
    built = _built(recipe, builders, budget)
    if again := repeated([(one.material, one.shown) for one in built], _ranked(builders)):
        others = [builder.without(again.get(index, frozenset())) for index, builder in enumerate(builders)]
        once = _built(recipe, others, budget)
        if frozenset().union(*again.values()) <= says([(one.material, one.shown) for one in once]):
            builders, built = others, once
    parts = tuple(builder.part(one) for builder, one in zip(builders, built, strict=True))
    text = _text(built)
    return Pack(recipe.name, budget, counter(text), text, parts, state)


def _built(recipe: Recipe, builders: list[PartBuilder], budget: int) -> list[BuiltPart]:
    """Return the parts within the budget; what some do not use goes to the others, if the recipe says so."""
    built, counter = _fitted(builders, budget, builders[0].counter), builders[0].counter
    if recipe.pooled:
        larger = _spread(builders, built, budget - counter(_text(built)))
        built = larger if counter(_text(larger)) <= budget else built
    return built


def _fitted(builders: list[PartBuilder], budget: int, counter: CachedTokenCounter) -> list[BuiltPart]:
    """Return the parts, each within its own cap and all within the budget."""
    natural = built = [builder.build(None) for builder in builders]
    room = budget
    for _ in range(_ROUNDS):
        if counter(_text(built)) <= budget:
            break
        built = _share(builders, natural, max(0, room), budget)
        room -= max(1, counter(_text(built)) - budget)
    while counter(_text(built)) > budget and any(one.text for one in built):
        built = _without_least(builders, built)
    return built


def _text(built: list[BuiltPart]) -> str:
    return SEPARATOR.join(one.text for one in built if one.text)


def _ranked(builders: list[PartBuilder]) -> list[int]:
    """Return the indexes of the parts, the most important first."""
    return sorted(range(len(builders)), key=lambda index: (-builders[index].slot.keep, index))


def _share(builders: list[PartBuilder], natural: list[BuiltPart], room: int, budget: int) -> list[BuiltPart]:
    """Return the parts for a shared budget: first floors, then rules, then the rest, by importance of the parts."""
    ranked = _ranked(builders)
    granted = dict.fromkeys(ranked, 0)
    for index in ranked:
        floor = min(natural[index].cost, builders[index].slot.floor * budget // 100)
        granted[index] = min(floor, room)
        room -= granted[index]
    for index in ranked:
        more = min(max(0, builders[index].rules - granted[index]), room)
        granted[index] += more
        room -= more
    built: dict[int, BuiltPart] = {}
    for index in ranked:
        built[index] = builders[index].build(granted[index] + room)
        room = max(0, granted[index] + room - built[index].cost)
    return [built[index] for index in range(len(builders))]


def _spread(builders: list[PartBuilder], built: list[BuiltPart], spare: int) -> list[BuiltPart]:
    """Return the parts with unused tokens given to those cut by their own cap, the most important first."""
    found = list(built)
    for index in _ranked(builders):
        if builders[index].slot.source == _CAPPED:
            continue
        larger = builders[index].build(found[index].cost + spare, capped=False)
        if spare > 0 and len(larger.shown) > len(found[index].shown):
            spare -= larger.cost - found[index].cost
            found[index] = larger
    return found


def _without_least(builders: list[PartBuilder], built: list[BuiltPart]) -> list[BuiltPart]:
    shown = [index for index, one in enumerate(built) if one.text]
    least = min(shown, key=lambda index: (builders[index].slot.keep, -index))
    return [builders[least].build(0) if index == least else one for index, one in enumerate(built)]


def without_faded(source: PartSource, tokens: int, count: CachedTokenCounter) -> PartSource:
    """Return the source with so many tokens of lines that were made from facts at most.

    The portrait puts the best facts of a section first, so the last lines of the sections leave first.
    """
    material = source.material
    places: list[tuple[int, int]] = []
    seen: Counter[int] = Counter()
    for index, item in enumerate(material.items):
        if item.repeats:
            places.append((seen[item.group], index))
            seen[item.group] += 1
    gone: set[int] = set()
    for _, index in sorted(places):
        tokens -= count(material.items[index].text + "\n")
        if tokens < 0:
            gone.add(index)
    if not gone:
        return source
    kept = [index for index in range(len(material.items)) if index not in gone]
    left = (OmittedItem(material.path_of(item), item.line, item.source_text, FADED)
            for index, item in enumerate(material.items) if index in gone)  # fmt: skip
    new = {old: number for number, old in enumerate(kept)}
    wanted = None if source.wanted is None else frozenset(new[one] for one in source.wanted if one in new)
    items = tuple(material.items[index] for index in kept)
    return source._replace(material=material._replace(items=items, left=(*material.left, *left)), wanted=wanted)
