"""What a person takes back, corrects or changes later: the new value holds, and the old one does not.

The dialogues are in twelve voices and were written before the patterns were changed; the half `heldout` was set aside
until then. The old value was gone in .80 of its English and .73 of its Chinese rows then, and the new one held in .68
and .73; after a look at what was left, in .93 and .85, and .78 and .75. A row names what a live fact must hold and what
none may state. Rows whose first statement no pattern knows are among them.
"""

from __future__ import annotations

import pytest
from conftest import Make

from mdmem.wording.script import ScriptedText

from .conftest import Extract
from .dialogues import Dialogue, dialogues, holds, is_gone, played

LEAST = {("tuning", "en"): (0.95, 0.9), ("tuning", "zh"): (0.9, 0.74),
         ("heldout", "en"): (0.9, 0.75), ("heldout", "zh"): (0.8, 0.7)}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("half", ["tuning", "heldout"])
def test_the_old_value_is_gone_and_the_new_one_holds(make: Make, lang: str, half: str) -> None:
    rows = dialogues(half, lang)
    stay, missed = [], []
    for one in rows:
        after = played(make(lang=lang), one).after
        stay += [] if is_gone(one, after, lang) else [one.later]
        missed += [] if one.live == "-" or holds(after, one.live) else [one.later]
    print(f"{half} {lang}: {len(stay)} of {len(rows)} stay, {len(missed)} missed", stay, missed)
    gone, live = LEAST[half, lang]
    assert len(stay) <= (1 - gone) * len(rows), stay
    assert len(missed) <= (1 - live) * len(rows), missed


@pytest.mark.parametrize(("first", "later", "after"), [
    ("I take my tea with two sugars.", "Since last week I take my tea without sugar.", ["take my tea without sugar"]),
    ("I walk the dog at 7 each day.", "I now walk the dog at 8 each day.", ["walk the dog at 8 each day"]),
    ("Our standup is at 9:15.", "Effective Monday our standup is at 10:00.",
     ["standup is at 10:00 (Effective Monday) (2026-02-23)"]),
    ("My glasses are +2.5.", "My glasses are no longer +2.5 but +3.0.", ["glasses is +3.0"]),
    ("Always quote prices in euros.", "From now on quote prices in pounds, not euros.",
     ["From now on quote prices in pounds, not euros."]),
    ("Always squash commits before merging.", "That squash rule? Drop it.", []),
    ("Never use emojis.", "The rule about emojis is gone.", []),
    ("My blood type is B positive.", "Please correct that: my blood type is O positive, not B positive.",
     ["blood type is O positive"]),
    ("我的血型是 B 型。", "更正：我的血型是 O 型。", ["血型 O 型"]),
    ("晨会是九点一刻。", "下周一开始晨会改到十点。", ["晨会改到十点（下周一开始）（2026-02-23）"]),
    ("我住在台中。", "我上個月搬到高雄了。", ["上個月搬到高雄（2026-01）"]),
    ("回答里不要用表情符号。", "表情符号那条不算了。", []),
    ("我的教练是小田。", "小田走了，教练换成小乌了。", ["教练换成小乌"]),
])  # fmt: skip
def test_a_change_of_mind_in_a_later_session(make: Make, first: str, later: str, after: list[str]) -> None:
    work = make(lang="en" if first.isascii() else "zh")
    assert played(work, Dialogue("", "session", first, later, "", "")).after == after


@pytest.mark.parametrize(("first", "later"), [
    ("I drink two coffees every day.", "I now drink two teas every day."), ("I like jazz.", "Now I like rock."),
    ("I live in Ghent.", "I used to live in Porto."), ("I speak Dutch.", "I now speak Welsh."),
    ("Never push to main.", "If we drop the rule about main, the build breaks."),
    ("Always ask before deleting files.", "Cancel the booking request for Friday."),
    ("I have a dog called Rex.", "My neighbour used to have a dog called Rex."),
    ("我每天跑五公里。", "我老婆现在每天跑三公里。"), ("我住在杭州。", "我以前住在上海。"),
    ("叫我老王。", "别叫我小王。"),
])  # fmt: skip
def test_what_is_about_something_else_ends_nothing(make: Make, first: str, later: str) -> None:
    ending = played(make(lang="en" if first.isascii() else "zh"), Dialogue("", "session", first, later, "", ""))
    assert ending.before
    assert set(ending.before) <= set(ending.after)


@pytest.mark.parametrize(("first", "later", "after"), [
    ("Always squash commits before merging.", "Just kidding, forget that.", []),
    ("The alarm company is Securex.", "Strike that, Securex is the insurance.", []),
    ("My boss is Leo. I live in Leeds.", "Scratch that, I live in Bonn.", ["boss is Leo", "lives in Bonn"]),
    ("I live in Leeds.", "Forget that, can you open the file?", ["lives in Leeds"]),
    ("I live in Leeds. Is that ok?", "Forget that.", ["lives in Leeds"]),
])  # fmt: skip
def test_a_turn_takes_back_the_last_sentence_of_the_one_before(
    make: Make, first: str, later: str, after: list[str]
) -> None:
    assert played(make(lang="en"), Dialogue("", "turn", first, later, "", "")).after == after


def test_a_fact_keeps_the_characters_in_which_it_was_said(found: Extract) -> None:
    (item,) = found("我會說葡萄牙文。").items
    assert (item.predicate, item.text) == ("语言", "會說葡萄牙文")


def test_a_character_that_was_written_in_two_ways_stays_simplified() -> None:
    script = ScriptedText("頭髮發亮")
    assert (script.simple, script.restored("头发"), script.restored("发")) == ("头发发亮", "頭髮", "发")
