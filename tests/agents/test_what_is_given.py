"""What the user has set stands in the first request of the next session, after a summary, and where it is new."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make
from harness import hook

from mdmem.agents.hooks.service import AgentHook
from mdmem.workspace import Workspace

RULE = "Never push to main without asking me."
LATER = "Answer in metric units from now on."
PIN = "Never call before noon"
FACT = "2026-02-01: the ferry leaves at 7:40"
AGENTS = ("claude", "codex", "gemini")
PROMPTS = {"claude": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini": "BeforeAgent"}
STOPS = {"claude": "Stop", "codex": "Stop", "gemini": "AfterAgent"}
RECIPES = sorted(Workspace("nowhere").recipes().recipes)


@pytest.fixture(autouse=True)
def nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no process work on after a hook: what is asked of a hook must not depend on how soon it is done."""
    monkeypatch.setattr(AgentHook, "_detached", lambda *_, **__: None)


class Talk:
    """One session of an agent."""

    def __init__(self, work: Workspace, agent: str, session: str) -> None:
        self.work, self.agent, self.session = work, agent, session

    def event(self, name: str, **payload: object) -> str:
        return hook(self.work, name, self.session, self.agent, **payload)

    def start(self, source: str = "startup") -> str:
        return self.event("SessionStart", source=source)

    def ask(self, prompt: str) -> str:
        given = self.event(PROMPTS[self.agent], prompt=prompt)
        reply = "prompt_response" if self.agent == "gemini" else "last_assistant_message"
        self.event(STOPS[self.agent], **{reply: "Fine."})
        return given

    def begin(self, source: str = "startup", prompt: str = "hello") -> str:
        """Start, say something, and return all that stands in the first request."""
        return self.start(source) + "\n" + self.ask(prompt)

    def end(self) -> None:
        if self.agent != "codex":  # it does not tell
            self.event("SessionEnd", reason="other")

    def summarize(self) -> str:
        """Let the agent summarize its context as it tells of it, and return what the next request gets."""
        if self.agent == "claude":
            return self.start("compact") + "\n" + self.ask("go on")
        self.event("PreCompact" if self.agent == "codex" else "PreCompress", trigger="manual")
        return self.ask("go on")


def stated(text: str, rule: str) -> int:
    """Return how often a text lists a rule; what a chat says of it is no list."""
    return text.split("\n").count(f"- {rule}")


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def with_recipe(make: Make, recipe: str) -> Workspace:
    settings = f'[agents]\nrecipe = "{recipe}"\ncompact_recipe = "{recipe}"\n'
    return make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n- {FACT}\n"}, settings=settings)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_rule_of_one_session_stands_in_the_first_request_of_the_next(make: Make, agent: str, recipe: str) -> None:
    work = with_recipe(make, recipe)
    one = Talk(work, agent, "s1")
    one.begin(prompt=f"{RULE} And please look at the parser.")
    one.end()
    assert stated(Talk(work, agent, "s2").begin(), RULE) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_rule_stands_in_the_request_after_a_summary_once(make: Make, agent: str, recipe: str) -> None:
    """Also one that the session itself has said, for the summary may have lost it."""
    work = with_recipe(make, recipe)
    work.facts.set("user", "rule", LATER, type="rule")
    talk = Talk(work, agent, "s1")
    assert stated(talk.begin(prompt=RULE), LATER) == 1
    given = talk.summarize()
    assert (stated(given, RULE), stated(given, LATER)) == (1, 1)
    after = talk.ask("and now the tests, please")
    assert (stated(after, RULE), stated(after, LATER)) == (0, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_resumed_session_gets_the_rules_that_are_new(make: Make, agent: str, recipe: str) -> None:
    work = with_recipe(make, recipe)
    one = Talk(work, agent, "s1")
    one.begin(prompt=RULE)
    one.end()
    assert stated(one.begin("resume"), RULE) == 0, "it is in its own words"
    one.end()
    other = Talk(work, agent, "s2")
    other.begin(prompt=LATER)
    other.end()
    news = one.begin("resume")
    assert (stated(news, RULE), stated(news, LATER)) == (0, 1)
    assert stated(one.ask("go on"), LATER) == 0


@pytest.fixture
def work(make: Make) -> Workspace:
    return with_recipe(make, "agent")


@pytest.mark.thorough
def test_pins_and_plan_come_again_after_a_summary(work: Workspace, agent: str) -> None:
    work = Workspace(work.root)  # pins fade by the day
    assert work.pins.add("constraint", "Calls", PIN, "file:MEMORY.md").status == "done"
    work.plan.add(["Order the part", "Fit it"])
    talk = Talk(work, agent, "s1")
    talk.begin()
    given = talk.summarize()
    assert (PIN in given, "Order the part" in given) == (True, True)


@pytest.mark.thorough
@pytest.mark.parametrize("started", ["never", "late"])
def test_a_session_whose_start_comes_late_or_never_is_given_the_memory_with_the_first_prompt(
    work: Workspace, agent: str, started: str
) -> None:
    work.facts.set("user", "rule", RULE, type="rule")
    talk = Talk(work, agent, "s1")
    first = talk.ask("hello")
    assert (first.count(RULE), first.count("ferry")) == (1, 1)
    late = talk.start() if started == "late" else ""
    assert RULE not in late + talk.ask("and now?"), "it was given"


def test_a_start_that_answers_in_time_leaves_nothing_to_the_prompt(work: Workspace) -> None:
    for name in ("claude", "codex", "cursor"):
        talk = Talk(work, name, name)
        assert "ferry" in talk.start()
        assert "ferry" not in talk.event(PROMPTS.get(name, "beforeSubmitPrompt"), prompt="hello")


@pytest.mark.thorough
@pytest.mark.parametrize("then", ["prompt", "resume"])
def test_a_start_after_a_summary_that_had_no_time_is_made_up_for(
    work: Workspace, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """The summary has lost the rules, and the state of the session says that they were given."""
    work.facts.set("user", "rule", RULE, type="rule")
    talk = Talk(work, "claude", "s1")
    assert stated(talk.begin(), RULE) == 1

    def never(*_: object, **__: object) -> None:
        raise KeyboardInterrupt  # the deadline ends the process wherever it is

    with monkeypatch.context() as patched:
        patched.setattr(Workspace, "pack", never)
        with pytest.raises(KeyboardInterrupt):
            talk.start("compact")
    given = talk.begin("resume", "go on") if then == "resume" else talk.ask("go on")
    assert stated(given, RULE) == 1
    assert RULE not in talk.ask("and now?")


def test_a_session_that_goes_on_after_its_end_is_given_the_news_without_a_start(work: Workspace, agent: str) -> None:
    one = Talk(work, agent, "s1")
    one.begin()
    one.end()
    if agent == "codex":
        pytest.skip("its sessions end by silence only")
    work.facts.set("user", "rule", LATER, type="rule")
    assert one.ask("hello again").count(LATER) == 1
    assert LATER not in one.ask("go on")


def test_a_session_of_gemini_that_is_taken_up_within_the_program_is_given_the_news(work: Workspace) -> None:
    """`/resume` there changes to another session and tells nobody."""
    one, other = Talk(work, "gemini", "s1"), Talk(work, "gemini", "s2")
    one.begin()
    other.begin(prompt=LATER)
    assert one.ask("hello again").count(LATER) == 1
    assert LATER not in one.ask("go on")


def test_a_rule_of_another_folder_is_not_given(make: Make, agent: str, tmp_path: Path) -> None:
    work = make("en")
    work.facts.set("user", "rule", "In the folder web/ use pnpm.", type="rule")
    for folder, shown in (("web", 1), ("docs", 0)):
        (tmp_path / folder).mkdir()
        talk = Talk(work, agent, folder)
        here = str(tmp_path / folder)
        given = talk.event("SessionStart", source="startup", cwd=here)
        given += talk.event(PROMPTS[agent], prompt="hello", cwd=here)
        assert given.count("use pnpm") == shown
