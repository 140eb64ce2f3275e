"""The hooks of agents: what `mdmem hook run` does at each event."""
