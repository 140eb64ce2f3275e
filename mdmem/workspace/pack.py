"""The facade's third part: what a model gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mdmem.workspace.searching import Searching

if TYPE_CHECKING:
    from mdmem.context.recipe import Recipes
    from mdmem.context.result import Pack
    from mdmem.core.tokens import TokenCounter
    from mdmem.workspace.artifacts.kept import Kept
    from mdmem.workspace.outcome import Outcome
    from mdmem.workspace.packing.ask import Recall, Said

DEFAULT = "default"  # the recipe of a pack without a name


class Packing(Searching):
    """What `Workspace` can make of its files for a model; a part of it may be what fits a query."""

    def pack(
        self,
        recipe: str = DEFAULT,
        *,
        budget: int | None = None,
        query: str = "",
        tool_result: str | Kept | None = None,
        inline: str | None = None,
        rounds: Sequence[Said] | None = None,
        prompt: str = "",
        tool_contract: str = "",
        texts: Mapping[str, str] | None = None,
        counter: TokenCounter | None = None,
        agent: str | None = None,
    ) -> Pack:
        """Give what a model gets: the recipe's parts in their order, within a budget of tokens; nothing is written.

        Everything that was cut or left out is named in `Pack.left`. The same files give the same bytes; parts that
        change rarely come first, so that a provider's prompt cache hits.

        Args:
            recipe: its name; `recipes()` lists them all. Without one: the files that a person keeps, and a chat.
            budget: tokens of the whole; None leaves it to the recipe.
            query: what to recall, for a recipe that has such a part.
            tool_result: the tool result at hand, as a text, or as the id of its artifact.
            inline: `full-if-fits` shows it whole where its part has room, `summary` never; None: as the recipe says.
            rounds: the chat: turns, `(role, text)`, or messages with `role` and `content`; None reads the newest
                session if it is still open.
            prompt: the base prompt; without it prompts/prompt.md of the workspace.
            tool_contract: what the tools are and how they are called; without it prompts/contract.md.
            texts: further texts by the names of their parts (`runtime`, `rules`, `catalogs`, …).
            counter: counts the tokens of a text; None takes the one that `[tokens]` in mdmem.toml names.
            agent: whose own files in agents/NAME/ or .notes/NAME/ come before the workspace's.

        Raises:
            UsageError: no recipe is called so, or an argument makes no sense.
            ConfigError: mdmem.toml or a template is wrong.

        >>> workspace = Workspace("workspace")
        >>> pack = workspace.pack("tool_loop", prompt="You are a careful assistant.", tool_result="tool:t0012")
        >>> messages = pack.messages  # [{"role": "system", "content": "# …"}, …], for any model
        >>> for part in pack.parts:
        ...     print(part.title, part.tokens, len(part.left))
        """
        from mdmem.workspace.packing.ask import Ask
        from mdmem.workspace.packing.journey import pack
        from mdmem.workspace.tokens import token_counter

        given = {"prompt": prompt, "contract": tool_contract, **(texts or {})}
        count = counter or token_counter(self.config.settings.tokens)
        recall = self._recall(agent, count)
        ask = Ask(count, budget, query, tool_result, inline, rounds, given, agent, recall)
        return pack(self.config, recipe, ask)

    def _recall(self, agent: str | None, counter: TokenCounter) -> Recall:
        def recall(query: str, recent: Sequence[str], budget: int) -> str | None:
            found = self.recall(query, recent=recent, budget=budget, agent=agent, counter=counter)
            return None if found.unknown and found.left_out else found.text

        return recall

    def propose_state(self, state: object, *, actor: str = "user", agent: str | None = None) -> Outcome:
        """Take a hand-edited state as change requests: what differs from the files waits in the inbox.

        Args:
            state: what `Pack.as_dict()` gave, with pins, steps and notes changed, added or removed.
            actor: who proposes it.
            agent: whose task it is about, as for `pack`.

        Raises:
            UsageError: it is no state, or a file has changed since it was printed.
            RefusedError: a change holds a secret, hidden text or an order to the model.

        >>> state = workspace.pack().as_dict()
        >>> state["pins"][0]["summary"] = "no jobs before noon"
        >>> workspace.propose_state(state).status
        'waiting'
        """
        from mdmem.workspace.packing.state_in import take

        return take(self.config, state, actor=actor, agent=agent)

    def recipes(self) -> Recipes:
        """Give the recipes that hold here; raises ConfigError where one of the user's own is wrong."""
        from mdmem.workspace.packing.journey import recipes

        return recipes(self.config)
