"""Tests of the doors for agents."""
