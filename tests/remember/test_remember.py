"""A memory for which nobody names a file or a section: the default section, and the choice by rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.remember.classify import Classifier
from mdmem.settings.tables import Settings

SENTENCES = Path(__file__).parents[1] / "fixtures" / "remember"
# the share that is classified as its writer did; `fresh` was written after the words of the settings
_LEAST = {"seen": 0.95, "kept": 0.8, "fresh": 0.65, "errands": 0.85}


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("part", list(_LEAST))
def test_sentences_are_classified_as_their_writer_did(lang: str, part: str, settings: Settings) -> None:
    classifier = Classifier(settings.remember, settings.keeper)
    rows = [line.split("\t") for line in (SENTENCES / f"{part}_{lang}.tsv").read_text("utf-8").splitlines()]
    wrong = [
        (kind, found.kind, found.words, text)
        for kind, text in rows
        if (found := classifier.classify(text)).kind != kind
    ]
    assert len(rows) >= 30
    assert 1 - len(wrong) / len(rows) >= _LEAST[part], "\n".join(map(str, wrong))


@pytest.mark.parametrize(("text", "kind"), [
    ("2026-02-20: the wifi at the cabin only works upstairs", "fact"), ("2026-02-20: Ann visited us", "event"),
    ("I am not allowed to eat grapefruit", "fact"), ("Dad was born in 1948", "fact"), ("the pipe was mended", "event"),
    ("The garage code changed, ask Peter for it", "fact"), ("Ask me first, then delete it", "rule"),
    ("我吃不了香菜", "preference"), ("六月前要换护照", "promise"), ("要买牛奶", "promise"), ("要求很高", "fact"),
    ("我一般骑车上班", "preference"), ("坐火车我更想要靠窗的位子", "preference"),
])  # fmt: skip
def test_a_sentence_is_filed_by_what_it_says(text: str, kind: str, settings: Settings) -> None:
    assert Classifier(settings.remember, settings.keeper).classify(text).kind == kind


@pytest.mark.parametrize(
    ("lang", "file", "section"),
    [("zh", "MEMORY.md", "笔记"), ("en", "MEMORY.md", "Notes"), ("en", "FASTMEMO.md", "User")],
)
def test_an_entry_without_a_section_goes_to_the_default_one(make: Make, lang: str, file: str, section: str) -> None:
    work = make(lang)
    done = work.add(file, ["the NAS is in the study"])
    assert done.status == "done"
    assert section in done.message
    assert work.call("memory_add", {"path": file, "content": "the lamp is green"})["status"] == "done"


@pytest.mark.parametrize(
    ("lang", "asked", "meant"), [("en", "Prefrences", "Preferences and habits"), ("zh", "偏好与习贯", "偏好与习惯")]
)
def test_a_misspelt_section_is_answered_with_the_nearest(make: Make, lang: str, asked: str, meant: str) -> None:
    work = make(lang)
    with pytest.raises(TargetError) as refused:
        work.add("MEMORY.md", ["x y z"], section=asked)
    assert refused.value.near == meant == refused.value.candidates[0]
    assert meant in refused.value.hint
    reply = work.call("memory_add", {"path": "MEMORY.md", "section": asked, "content": "x y z"})
    assert meant in reply["hint"]


def test_a_memory_finds_its_place_and_says_why(make: Make) -> None:
    work = make("en")
    done = work.remember("Mara prefers window seats")
    assert (done.status, done.path) == ("done", "MEMORY.md")
    assert "Preferences and habits" in done.message
    assert '"prefers"' in done.hint
    assert "mdmem undo" in done.hint
    assert work.remember("Never push to main without a review").path == "FASTMEMO.md"
    moved = work.remember("Pay by card", kind="rule")
    assert (moved.path, "Self" in moved.message) == ("FASTMEMO.md", True)
    with pytest.raises(UsageError):
        work.remember("x", kind="dream")


def test_every_kind_names_a_section_that_its_file_has(make: Make) -> None:
    for lang in ("zh", "en"):
        work = make(lang)
        for kind in ("promise", "rule", "preference", "event", "fact"):
            file, _, section = getattr(work.config.settings.remember, kind).partition("#")
            template = work.config.schemas.get(file)
            assert template is not None
            assert template.name(section), (lang, kind)


def test_hostile_text_is_classified_in_linear_time(settings: Settings) -> None:
    classifier = Classifier(settings.remember, settings.keeper)
    assert classifier.classify("told " * 200_000).kind in ("event", "fact", "promise")


@pytest.mark.parametrize(("lang", "text"), [
    ("en", "when is the dentist?"), ("en", "What was Ida's new number again? "),
    ("en", "does the 10:30 train stop in Lund?"), ("zh", "牙医几点？"), ("zh", "阿岚的生日是哪天?"),
    ("zh", "要不要去北京？"),
])  # fmt: skip
def test_a_question_is_not_kept_unless_its_kind_is_named(make: Make, lang: str, text: str) -> None:
    work = make(lang)
    with pytest.raises(RefusedError) as refused:
        work.remember(text)
    assert "mdmem search" in refused.value.hint
    assert "--as" in refused.value.hint
    reply = work.call("memory_remember", {"content": text})
    assert reply["code"] == "refused"
    assert "`memory_search`" in reply["hint"]
    assert work.remember(text, kind="fact").status == "done"


@pytest.mark.parametrize(
    ("lang", "text"), [("en", "hi"), ("en", "Good morning! Thanks."), ("zh", "你好"), ("zh", "好的，谢谢，辛苦了！")]
)
def test_small_talk_is_not_kept_unless_its_kind_is_named(make: Make, lang: str, text: str) -> None:
    work = make(lang)
    with pytest.raises(RefusedError) as refused:
        work.remember(text)
    assert "--as" in refused.value.hint
    assert not (Path(work.root) / "MEMORY.md").exists()
    assert work.call("memory_remember", {"content": text})["status"] == "unchanged"
    assert work.remember(text, kind="fact").status == "done"


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "could you always answer in French?"),
        ("en", "Mara asked: who waters the plants?"),
        ("en", "The meeting moved. Or did it?"),
        ("en", "- [ ] ask Ida: which bus?"),
        ("zh", "以后用繁体回复，好吗？"),
        ("zh", "阿岚问：钥匙放哪了？"),
    ],
)
def test_a_request_or_a_reported_question_is_kept(make: Make, lang: str, text: str) -> None:
    assert make(lang).remember(text).status == "done"


@pytest.mark.parametrize(
    "text",
    [
        "别人喜欢叫她小满", "别人家的狗很吵", "别人不要的书可以拿走", "这件事别人不要插手的原因是合同",
        "别处的房租更低",
        "别克停在地下二层", "别针在第二个抽屉", "鉴别真假要看水印", "送别老师那天下雨", "派别之争与她无关",
    ],
)  # fmt: skip
def test_a_word_that_begins_like_a_ban_is_none(text: str, settings: Settings) -> None:
    assert Classifier(settings.remember, settings.keeper).classify(text).kind != "rule"


@pytest.mark.parametrize("text", ["别加香菜", "晚上别打电话", "特别不要提房子的事", "请不要打断我", "别让别人知道密码"])
def test_a_ban_stays_one(text: str, settings: Settings) -> None:
    assert Classifier(settings.remember, settings.keeper).classify(text).kind == "rule"


@pytest.mark.parametrize(
    "text",
    [
        "never plan jobs before noon",
        "always plan two stops",
        "never work on the main branch",
        "Don't plan trips on Mondays",
    ],
)
def test_an_order_with_a_verb_that_is_also_a_noun_is_a_rule(text: str, settings: Settings) -> None:
    assert Classifier(settings.remember, settings.keeper).classify(text).kind == "rule"


@pytest.mark.parametrize("text", ["never late", "there was never a plan", "the brakes always work", "always hungry"])
def test_a_statement_with_such_a_word_is_none(text: str, settings: Settings) -> None:
    assert Classifier(settings.remember, settings.keeper).classify(text).kind != "rule"
