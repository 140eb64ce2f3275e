"""The scratchpad: what is being worked on, written anew at the end of each session."""
