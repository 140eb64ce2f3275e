"""A memory for which nobody names a file or a section: the default section, and the choice by rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.errors import TargetError, UsageError
from mdmem.remember.classify import Classifier
from mdmem.settings.tables import Settings

from .conftest import Make

SENTENCES = Path(__file__).parents[1] / "fixtures" / "remember"
# the share that is classified as its writer did; `fresh` was written after the words of the settings
_LEAST = {"seen": 0.95, "kept": 0.8, "fresh": 0.65}


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("part", ["seen", "kept", "fresh"])
def test_sentences_are_classified_as_their_writer_did(lang: str, part: str, settings: Settings) -> None:
    classifier = Classifier(settings.remember, settings.keeper)
    rows = [line.split("\t") for line in (SENTENCES / f"{part}_{lang}.tsv").read_text("utf-8").splitlines()]
    wrong = [
        (kind, found.kind, found.words, text)
        for kind, text in rows
        if (found := classifier.classify(text)).kind != kind
    ]
    assert len(rows) >= 50
    assert 1 - len(wrong) / len(rows) >= _LEAST[part], "\n".join(map(str, wrong))


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
