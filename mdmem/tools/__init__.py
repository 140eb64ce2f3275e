"""The tools of agents: names over the workspace's few methods, schemas in `templates/tools.toml`, one dispatcher.

Every answer is one reply as JSON's types; no model's slip, whatever it sends, becomes a traceback.
"""
