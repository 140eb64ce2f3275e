"""The scratchpad: what is being worked on, written anew at the end of each session; the rest of the file is the user's."""
