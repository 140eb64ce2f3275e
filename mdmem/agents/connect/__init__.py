"""Enter mdmem into the settings of agents, and take it out again."""
