"""Knowledge: how something is done, under a name; it is run, saved in versions, compared and chosen for a task."""
