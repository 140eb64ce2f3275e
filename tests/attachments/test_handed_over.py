"""«Send me the photo of the cat»: the record is found, with its id and the path of its file (K071)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.workspace import Workspace

FILES = {"IMG_1.png": "橘猫趴在窗台上的照片", "IMG_2.png": "The dog at the beach"}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def work(make: Make) -> Workspace:
    made = make("zh")
    for number, (name, said) in enumerate(
        {"IMG_1.png": "橘猫趴在窗台上的照片", "IMG_2.png": "The dog at the beach"}.items()
    ):
        Path(made.root, name).write_bytes(PNG + bytes([number]))
        made.attach(str(Path(made.root, name)), description=said)
    return made


@pytest.mark.parametrize("sparing", [False, True])
@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("给我那张猫图", "IMG_1"),
        ("把橘猫的照片发我", "IMG_1"),
        ("找一下窗台上那只猫的图片", "IMG_1"),
        ("send me the picture of the dog", "IMG_2"),
        ("Where is that photo of the beach?", "IMG_2"),
        ("can i see the dog image again", "IMG_2"),
    ],
)
def test_recall_shows_record_and_path(work: Workspace, asked: str, name: str, sparing: bool) -> None:
    found = work.recall(asked, sparing=sparing)
    assert f"（附件 {name}：attachments/{name}.png）" in found.text.replace("(附件", "（附件").replace(
        ".png)", ".png）"
    )
    other = {"IMG_1": "IMG_2", "IMG_2": "IMG_1"}[name]
    assert other not in found.text
    assert not found.unknown
    assert f"attachments/{name}.md" in {hit.path for hit in found.hits}


@pytest.mark.parametrize(
    "asked", ["画一张猫图", "今天天气怎么样", "How do I open a file in Python?", "What is a photo?"]
)
def test_a_message_that_asks_for_no_file_of_the_memory_gets_none(work: Workspace, asked: str) -> None:
    assert "附件 IMG" not in work.recall(asked, sparing=True).text


def test_the_budget_holds(work: Workspace) -> None:
    assert work.recall("给我那张猫图", budget=5).text == ""
    assert work.recall("给我那张猫图", budget=200).tokens <= 200


def test_the_tool_names_the_file(work: Workspace) -> None:
    reply = work.call("memory_search", {"query": "猫"})
    assert reply["files"] == ["attachments/IMG_1.png"]
    assert "attachments/IMG_1.png" in reply["text"]
