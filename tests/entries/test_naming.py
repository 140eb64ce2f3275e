"""One rule of how a text names an entry, for every verb: one match, of a word at least, else the choices are shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mdmem.errors import TargetError
from mdmem.workspace import Workspace

Make = Callable[..., Workspace]
FILES = {
    "MEMORY.md": "# 记忆\n\n## 待办\n\n- [ ] 给阿岚买生日蛋糕\n- [ ] 把 7 号的账单付了\n- [ ] Q\n- [ ] 还阿岚的伞\n",
    "PINS.md": "# PINS\n\n## Pinned facts\n\n- 牛奶过敏 ^p1\n",
}
VERBS: dict[str, Callable[[Workspace, str], object]] = {
    "tick": lambda work, name: work.tick("MEMORY.md", name),
    "remove": lambda work, name: work.remove("MEMORY.md", [name]),
    "replace": lambda work, name: work.replace("MEMORY.md", name, "- [ ] 换成这个"),
    "why": lambda work, name: work.history.why(name),
}


@pytest.fixture(params=sorted(VERBS))
def act(request: pytest.FixtureRequest) -> Callable[[Workspace, str], object]:
    return VERBS[request.param]


@pytest.mark.parametrize("name", ["账", "7", "蛋", "号"])
def test_what_is_shorter_than_a_word_names_nothing(
    name: str, act: Callable[[Workspace, str], object], make: Make, text: Callable[[str], str]
) -> None:
    work = make("zh", FILES)
    with pytest.raises(TargetError) as refused:
        act(work, name)
    assert "一个汉字" in refused.value.message
    assert any(name in one for one in refused.value.candidates)
    assert text("MEMORY.md") == FILES["MEMORY.md"]


@pytest.mark.parametrize("name", ["蛋糕", "账单", "Q"])
def test_a_chinese_word_or_the_whole_text_names_an_entry(
    name: str, act: Callable[[Workspace, str], object], make: Make
) -> None:
    act(make("zh", FILES), name)


def test_several_matches_are_shown(act: Callable[[Workspace, str], object], make: Make) -> None:
    with pytest.raises(TargetError) as refused:
        act(make("zh", FILES), "阿岚")
    assert refused.value.count == 2
    assert len(refused.value.candidates) == 2


@pytest.mark.parametrize("verb", ["plan.done", "plan.remove"])
def test_a_step_is_named_by_the_same_rule(verb: str, make: Make) -> None:
    work = make("zh")
    work.plan.add(["订车票", "收拾行李"])

    def act(name: str) -> str:
        return (work.plan.done(name) if verb == "plan.done" else work.plan.remove([name])).status

    with pytest.raises(TargetError):
        act("票")
    assert act("车票") == "done"
