"""Handoffs: what one agent leaves for the next, as one file in the receiver's folder."""
