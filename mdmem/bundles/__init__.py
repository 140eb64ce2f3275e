"""Bundles: knowledge of other people as Agent Skills, installed as it came, and own knowledge made into one."""
