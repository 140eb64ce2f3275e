"""Our named tuples do what `typing`'s do."""

from __future__ import annotations

import copy
import pickle
import typing
from functools import cached_property

import pytest

from mdmem.core import record


class Theirs(typing.NamedTuple):
    """Three fields and a default."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = ()

    @property
    def both(self) -> str:
        return f"{self.a}{self.b}"

    def more(self) -> int:
        return self.a + 1


class Ours(record.NamedTuple):
    """Three fields and a default."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = ()

    @property
    def both(self) -> str:
        return f"{self.a}{self.b}"

    def more(self) -> int:
        return self.a + 1


class Empty(record.NamedTuple):
    pass


class Below(Ours):
    @cached_property
    def kept(self) -> list[int]:
        return [self.a]


PAIR = pytest.mark.parametrize("kind", [Ours, Theirs])


@PAIR
def test_a_named_tuple_is_made_read_and_changed(kind: type[Ours]) -> None:
    one = kind(1, c=(3,))
    assert tuple(one) == (1, "b", (3,))
    assert [one, one] == [kind(a=1, b="b", c=(3,)), kind._make([1, "b", (3,)])]
    assert isinstance(one, tuple)
    assert hash(one) == hash((1, "b", (3,)))
    assert (one.a, one.b, one.c, one.both, one.more()) == (1, "b", (3,), "1b", 2)
    assert repr(one) == f"{kind.__name__}(a=1, b='b', c=(3,))"
    assert one._asdict() == {"a": 1, "b": "b", "c": (3,)}
    assert one._replace(a=2) == (2, "b", (3,))
    assert type(one._replace(a=2)) is kind
    assert kind._fields == kind.__match_args__ == ("a", "b", "c")
    assert kind._field_defaults == {"b": "b", "c": ()}
    assert (kind.__doc__, kind.__module__, kind.__qualname__) == (Theirs.__doc__, __name__, kind.__name__)
    assert typing.get_type_hints(kind) == {"a": int, "b": str, "c": tuple[int, ...]}
    assert type(kind) is type


@PAIR
def test_copies_and_pickles_are_equal(kind: type[Ours]) -> None:
    one = kind(1, "x")
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert again == one
        assert type(again) is kind


@PAIR
def test_it_matches_by_place_and_by_name(kind: type[Ours]) -> None:
    match kind(1, "x"):
        case (1, "y", _):
            pytest.fail("another value")
        case one if one.b == "x":
            pass
    found: object = kind(7)
    match found:
        case Ours(a, b) | Theirs(a, b):
            assert (a, b) == (7, "b")
        case _:
            pytest.fail("no match by place")


@PAIR
@pytest.mark.parametrize("wrong", [{}, {"a": 1, "d": 2}, {"b": "x"}])
def test_wrong_arguments_are_refused(kind: type[Ours], wrong: dict[str, object]) -> None:
    make: typing.Any = kind
    with pytest.raises(TypeError) as refused:
        make(**wrong)
    assert f"{kind.__name__}.__new__()" in str(refused.value)
    with pytest.raises(TypeError):
        make(1, 2, 3, 4)
    with pytest.raises(TypeError):
        make._make([1])
    with pytest.raises((TypeError, ValueError)):  # by the version of Python
        make(1)._replace(d=1)


@PAIR
def test_an_instance_cannot_be_changed(kind: type[Ours]) -> None:
    one: typing.Any = kind(1)
    for name in ("a", "other"):
        with pytest.raises(AttributeError):
            setattr(one, name, 2)
    assert not hasattr(one, "__dict__")


def test_a_class_below_has_what_is_above_and_its_own() -> None:
    one = Below(1, "x")
    assert one.kept is one.kept
    assert (one.b, one._fields, repr(one)) == ("x", Ours._fields, "Below(a=1, b='x', c=())")
    assert type(one._replace(a=2)) is Below
    assert one._replace(a=2).kept == [2]


def test_one_without_fields_and_one_in_the_wrong_order() -> None:
    assert Empty() == ()
    body = {"__annotations__": {"a": "int", "b": "int"}, "a": 1}
    made: typing.Any = record.NamedTuple
    with pytest.raises(TypeError, match="default"):
        type(made)("Wrong", (made,), body)


def test_the_first_instance_may_be_of_the_class_below() -> None:
    class Above(record.NamedTuple):
        a: int

    class Child(Above):
        pass

    assert type(Child(1)) is Child
    assert type(Above(1)) is Above
    assert type(Child(a=2)) is Child


def test_the_getters_do_without_c(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util
    import sys

    monkeypatch.setitem(sys.modules, "_collections", None)
    spec = importlib.util.find_spec("mdmem.core.record")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = type(module.NamedTuple)("Made", (module.NamedTuple,), {"__annotations__": {"a": "int", "b": "int"}})
    assert (made(1, 2).b, made._fields) == (2, ("a", "b"))
