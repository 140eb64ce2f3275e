"""Adapters for the frameworks that agents are built with; none of them imports its framework.

`MemoryTool` is the memory tool of Anthropic's API, `AgentsSession` a session of OpenAI's Agents SDK, `HermesMemory` a
memory provider of Hermes Agent.
"""

from mdmem.agents.sdk.agents_session import AgentsSession
from mdmem.agents.sdk.hermes import HermesMemory
from mdmem.agents.sdk.memory_tool import MemoryTool

__all__ = ["AgentsSession", "HermesMemory", "MemoryTool"]
