"""From a tool's output to the few lines that stand for it: rules for each kind of output, no model (G016, G032)."""

from mdmem.context.output.binary import binary_kind
from mdmem.context.output.summarise import summarise

__all__ = ["binary_kind", "summarise"]
