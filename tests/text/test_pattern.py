"""Patterns are compiled when first used, so a wrong one must be found here."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import mdmem
from mdmem.text.pattern import Pattern, pattern

MODULES = [
    info.name
    for info in pkgutil.walk_packages(mdmem.__path__, "mdmem.")
    if info.name.startswith(("mdmem.text", "mdmem.linter"))
]


@pytest.mark.parametrize("name", MODULES)
def test_every_pattern_compiles(name: str) -> None:
    for value in vars(importlib.import_module(name)).values():
        if isinstance(value, Pattern):
            assert value.search is not None


def test_a_pattern_is_compiled_once_and_only_when_used() -> None:
    lazy = pattern("(")  # an error that is not met until somebody asks
    with pytest.raises(Exception, match="unterminated subpattern"):
        lazy.search("x")
    good = pattern("a+")
    assert good.findall("aab") == ["aa"]
    assert good.search is good.search
