"""Episodes: what happened in a session, with its goal, its outcome, its tool runs and the facts that came of it."""
