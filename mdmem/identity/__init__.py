"""The identity: SOUL.md, AGENT.md, USER.md and the persona as short texts for the layered pack."""
