"""What a model says of a change ends no fact that the conversation does not speak of; both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Make

from mdmem import Workspace

from .conftest import MakeSession

PATH = "sessions/2026-02-14_work_1.md"
# subject, property, the live fact, the sentence of the user, the statement of the model
WRONG = [
    ("user", "city", "lives in Porto", "We had a lovely weekend in Ghent.", ("city", "had a lovely weekend in Ghent")),
    ("user", "city", "lives in Porto", "Our cat Miso sleeps on the printer.", ("cat", "the cat is called Miso")),
    ("user", "employer", "works at Acme", "The ferry costs 12 euros.", ("employer", "pays 12 euros for the ferry")),
    ("用户", "住址", "住在高雄", "咱们那只猫叫阿福。", ("猫", "猫叫阿福")),
    ("用户", "公司", "在宏远上班", "台南的牛肉汤很好喝。", ("公司", "喜欢台南的牛肉汤")),
]
RIGHT = [
    ("user", "city", "lives in Porto", "Moved over to Ghent with the whole family.", ("city", "lives in Ghent")),
    ("user", "city", "lives in Porto", "Goodbye Porto, hello Ghent!", ("city", "lives in Ghent")),
    ("user", "desk", "sits on floor 5", "They put my desk on floor 7.", ("desk", "sits on floor 7")),
    ("用户", "住址", "住在高雄", "全家搬到台南去住。", ("住址", "住在台南")),
    ("用户", "公司", "在宏远上班", "入职明德已经两周。", ("公司", "在明德上班")),
]  # fmt: skip


def told(workspace: Workspace, subject: str, replaces: str, claim: tuple[str, str], *, is_update: bool) -> None:
    row = {
        "type": "FACT", "subject": subject, "predicate": claim[0], "content": claim[1], "importance": 0.8,
        "is_update": is_update, "replaces": replaces,
    }  # fmt: skip
    workspace.keeper.extract(backend=lambda _: json.dumps([row], ensure_ascii=False))


def live(workspace: Workspace) -> list[str]:
    return [fact.text for one in workspace.facts.list() for fact in workspace.facts(one.subject) if fact.live]


@pytest.mark.parametrize("claims", ["replaces", "is_update", "property"])
@pytest.mark.parametrize(("subject", "predicate", "old", "said", "claim"), WRONG)
def test_a_fact_that_no_sentence_touches_stays(
    make: Make, session: MakeSession, subject: str, predicate: str, old: str, said: str, claim: tuple[str, str],
    claims: str,
) -> None:  # fmt: skip
    workspace = make({PATH: session(("user", said), ("assistant", "ok"))})
    workspace.facts.set(subject, predicate, old, at="2026-02-01", source="chat:x#1", actor="keeper")
    (fact,) = workspace.facts(subject)
    replaces = fact.key if claims == "replaces" else ""
    told(workspace, subject, replaces, claim, is_update=claims != "property")
    assert old in live(workspace)
    inbox = Path(workspace.root, "inbox.md")
    waiting = inbox.read_text("utf-8") if inbox.exists() else ""
    assert any(claim[1] in text for text in (*live(workspace), waiting)), "what was said is not lost"


@pytest.mark.parametrize(("subject", "predicate", "old", "said", "claim"), RIGHT)
def test_a_fact_that_a_sentence_touches_ends(
    make: Make, session: MakeSession, subject: str, predicate: str, old: str, said: str, claim: tuple[str, str]
) -> None:
    workspace = make({PATH: session(("user", said), ("assistant", "ok"))})
    workspace.facts.set(subject, predicate, old, at="2026-02-01", source="chat:x#1", actor="keeper")
    (fact,) = workspace.facts(subject)
    told(workspace, subject, fact.key, claim, is_update=True)
    assert live(workspace) == [claim[1]]


@pytest.mark.parametrize("is_own", [False, True])
@pytest.mark.parametrize(
    ("said", "pasted"),
    [
        ("I live in Ghent.", "Tom: see you at six\nAmy: fine\nTom: I live in Ghent."),
        ("我住在台南。", "张三：六点见\n李四：好\n张三：我住在台南。"),
    ],
)
def test_a_line_of_a_pasted_conversation_counts_if_the_user_says_it_too(
    make: Make, session: MakeSession, said: str, pasted: str, *, is_own: bool
) -> None:
    turns = [("user", pasted), ("assistant", "ok"), *([("user", said), ("assistant", "ok")] if is_own else [])]
    workspace = make({PATH: session(*turns)})
    rows = [{"type": "FACT", "subject": "user", "predicate": "city", "content": said.rstrip(".。"), "importance": 0.8}]
    workspace.keeper.extract(backend=lambda _: json.dumps(rows, ensure_ascii=False))
    assert bool(live(workspace)) == is_own


@pytest.mark.parametrize("is_update", [False, True])
@pytest.mark.parametrize(
    ("said", "predicate", "stated", "left"),
    [
        ("Our staging port is 8080. The cat of my sister is called Miso.", "fact",
         ["staging port is 8080", "the sister's cat is called Miso"], 2),
        ("测试环境的端口是 8080。我妹妹的猫叫阿福。", "信息", ["测试环境的端口是 8080", "妹妹的猫叫阿福"], 2),
        ("Our staging port is 8080. Wait, the staging port is 9090.", "fact",
         ["staging port is 8080", "staging port is 9090"], 1),
        ("住址原来是高雄，现在全家搬到台南。", "住址", ["住在高雄", "住在台南"], 1),
    ],
)  # fmt: skip
def test_statements_under_one_loose_name_stand_beside_each_other(
    make: Make, session: MakeSession, said: str, predicate: str, stated: list[str], left: int, *, is_update: bool
) -> None:
    workspace = make({PATH: session(("user", said), ("assistant", "ok"))})
    rows = [{"type": "FACT", "subject": "user", "predicate": predicate, "content": one, "importance": 0.8,
             "is_update": is_update} for one in stated]  # fmt: skip
    workspace.keeper.extract(backend=lambda _: json.dumps(rows, ensure_ascii=False))
    assert live(workspace) == stated[-left:]


def test_a_fact_that_only_a_model_found_says_so_by_its_confidence_and_its_source(
    make: Make, session: MakeSession
) -> None:
    said = "我住在高雄。港边的风把我的伞吹成了第三把。"
    workspace = make({PATH: session(("user", said), ("assistant", "ok"))})
    rows = [
        {"type": "FACT", "subject": "用户", "predicate": "住址", "content": "我住在高雄", "importance": 0.8},
        {
            "type": "FACT",
            "subject": "用户",
            "predicate": "伞",
            "content": "港边的风大，用到第三把伞",
            "importance": 0.8,
        },
    ]
    workspace.keeper.extract(backend=lambda _: json.dumps(rows, ensure_ascii=False))
    plain, guessed = sorted(workspace.facts("用户"), key=lambda one: one.predicate == "伞")
    assert guessed.confidence < plain.confidence
    assert guessed.source.startswith("chat:")
