"""The tools that agents call: definitions from `templates/tools.toml`, dispatch, and replies.

Every reply is JSON. Invalid arguments of a model end in a reply, never in a traceback.
"""
