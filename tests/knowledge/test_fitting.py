"""Which pieces a pack shows: those that are named, that the plan runs, or that fit; never all (D010, D036)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from conftest import Make, Run

from mdmem.errors import TargetError
from mdmem.formats.knowledge.opposed_orders import opposed, read_orders, same_share
from mdmem.search.index.connection import IndexDatabase
from mdmem.text.document import parse
from mdmem.workspace import Workspace


def piece(name: str, description: str, step: str, *, front: str = "") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{front}---\n# {name}\n\n## Steps\n\n1. {step}\n"


FILES = {
    "knowledge/tea.md": piece("tea", "How tea is made for Ann", "Boil the water"),
    "knowledge/csv.md": piece("csv", "Import tables of unknown origin", "Look at the first bytes"),
    "knowledge/backup.md": piece("backup", "Back up the disk with the photographs", "Plug in both disks"),
    "knowledge/pack/review/SKILL.md": piece("review", "Review a change of code", "Read the tests first"),
}


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", FILES)


@pytest.mark.parametrize("recipe", ["minimal", "full"])
def test_a_pack_shows_what_fits_the_task_and_no_more(work: Workspace, recipe: str) -> None:
    text = work.pack(recipe, query="import the tables of the harbour").text
    assert "Look at the first bytes" in text
    assert not [step for step in ("Boil the water", "Plug in both disks", "Read the tests first") if step in text]
    assert work.knowledge.fitting("what is the capital of Peru?") == ()


def test_a_pack_looks_for_changed_files_once_and_sees_them_in_the_next(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[int]()
    refresh = IndexDatabase.refresh

    def counted(database: IndexDatabase, without: Collection[str] = ()) -> None:
        looks.append(1)
        refresh(database, without)

    monkeypatch.setattr(IndexDatabase, "refresh", counted)
    assert "Look at the first bytes" in work.pack("minimal", query="import the tables of the harbour").text
    assert len(looks) == 1
    Path(work.root, "knowledge/boat.md").write_text(
        piece("boat", "Mend the sails of the boat", "Fetch thread"), "utf-8"
    )
    assert "Fetch thread" in work.pack("minimal", query="mend the sails of the boat").text


def test_what_is_named_comes_in_the_order_of_precedence(make: Make) -> None:
    work = make("en", FILES | {"knowledge/safe.md": piece("safe", "Safety", "Ask first", front="precedence: 5\n")})
    text = work.pack("minimal", knowledge=["tea", "safe", "pack/review"]).text
    assert text.index("Ask first") < text.index("Boil the water") < text.index("Read the tests first")
    with pytest.raises(TargetError) as stopped:
        work.pack("minimal", knowledge=["te"])
    assert stopped.value.candidates[0] == "tea"


def test_the_default_recipe_shows_what_a_running_plan_works_by_as_it_was_saved(work: Workspace) -> None:
    assert "Boil the water" not in work.pack(query="how is tea made for Ann").text
    work.knowledge.save("tea", "mild")
    work.knowledge.run("tea@mild")
    file = Path(work.root) / "knowledge/tea.md"
    file.write_text(file.read_text("utf-8").replace("Boil", "Freeze"), "utf-8")
    part = work.pack().part("plan_knowledge")
    assert part is not None
    assert "Boil the water" in part.text
    assert "Freeze" not in part.text
    work.plan.done()
    assert not work.pack().part("plan_knowledge").text  # type: ignore[union-attr]


def test_recall_gives_a_description_and_no_loose_step(work: Workspace) -> None:
    recalled = work.recall("how is tea made for Ann: boil the water?").text
    assert "How tea is made for Ann" in recalled
    assert "Boil the water" not in recalled
    assert "Boil the water" in "".join(hit.text for hit in work.search("boil the water"))


def test_the_pack_tells_a_contradiction_once_and_which_piece_holds(make: Make) -> None:
    one = piece("tea", "Tea", "Warm the pot") + "\n## What works\n\n- Always warm the pot before the tea.\n"
    other = one.replace("name: tea", "name: fast\nprecedence: 3").replace("Always", "Never")
    work = make("en", {"knowledge/tea.md": one, "knowledge/fast.md": other})
    text = work.pack("minimal", knowledge=["tea", "fast"]).text
    assert text.count("contradiction:") == 1
    assert "fast holds" in text


@pytest.mark.parametrize(("first", "second", "clash"), [
    ("Always sort the rows by day", "Never sort the rows by day", True),
    ("总是先看原始字节", "不要先看原始字节", True),
    ("Always sort the rows by day", "Always sort the rows by day", False),
    ("Always sort the rows by day", "Never delete the raw files", False),
    ("Never push to main", "The tests always run on main", False),
])  # fmt: skip
def test_what_counts_as_a_contradiction(make: Make, first: str, second: str, clash: bool) -> None:
    template = make("zh").config.schemas.required("knowledge")
    orders = [order for name, text in (("a", first), ("b", second))
              for order in read_orders(name, parse(f"# X\n\n- {text}\n".encode()), template)]  # fmt: skip
    assert bool(list(opposed(orders, same_share(template), across=True))) is clash


def test_a_workspace_in_a_folder_called_knowledge_keeps_the_kinds_of_its_files(tmp_path: Path) -> None:
    root = tmp_path / "knowledge"
    Workspace(root, lang="en").init()
    (root / "knowledge").mkdir()
    (root / "knowledge" / "tea.md").write_text(FILES["knowledge/tea.md"], "utf-8")
    kinds = {file.path: file.kind for file in Workspace(root).status()}
    assert (kinds["FASTMEMO.md"], kinds["knowledge/tea.md"]) == ("fastmemo", "knowledge")


def test_the_verbs_show_list_and_refuse_in_words(work: Workspace, verb: Run) -> None:
    assert "pack/review" in verb("knowledge").stdout
    assert verb("knowledge", "list", "import tables").stdout.split("\n")[1].startswith("csv ")
    assert verb("knowledge", "show", "csv").stdout == FILES["knowledge/csv.md"]
    assert "knowledge/csv.md" in verb("status").stdout
    assert "knowledge/csv.md is there already" in verb("knowledge", "add", "csv", "again", code=10).stderr
    assert "`first` is not an input" in verb("run", "csv", "first", code=2).stderr
    assert "two different versions" in verb("knowledge", "compare", "csv", code=2).stderr
    assert '"thin"' not in verb("knowledge", "versions", "csv", "--json").stdout
