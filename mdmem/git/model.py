"""The types of the setup of a memory in git. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SetupPart: TypeAlias = Literal["attributes", "driver", "ignore", "hook", "remote", "address"]
# present: it was so before; another: somebody else's is there, and it was not changed
SetupState: TypeAlias = Literal["made", "present", "removed", "absent", "another"]
PARTS: tuple[SetupPart, ...] = ("attributes", "driver", "ignore", "hook", "remote", "address")


@dataclass(frozen=True, slots=True)
class SetupStep:
    """What became of one part of the setup."""

    part: SetupPart
    state: SetupState
    name: str = ""  # of an address: its remote and itself
