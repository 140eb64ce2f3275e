"""The configuration of a workspace: settings, templates, and the user's trust in them."""
