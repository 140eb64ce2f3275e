"""File formats: templates as schemas, limits, paths, and the files of sessions, artifacts and task plans. Pure."""
