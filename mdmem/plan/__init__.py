"""Plans: the steps of a task, the current one, and the phase."""
