"""Tests in the state folder what this system and file system can do for the pen."""

from __future__ import annotations

import os
from typing import NamedTuple

from mdmem.errors import LockedError, MdmemError, WriteError
from mdmem.store import locks
from mdmem.store.durable import can_exchange, discard, fill
from mdmem.store.replace import leased
from mdmem.store.root import RELATIVE, ResolvedPath, Root, open_file
from mdmem.store.walk import STATE_FOLDER

_PROBE = "doctor"


class Abilities(NamedTuple):
    """Which steps of the pen work here; each one that does not weakens a promise (README, «What may be lost»)."""

    locks: bool  # only one mdmem process writes a file at a time
    confined: bool  # each folder of a path is opened relative to its parent
    exchange: bool  # two names are exchanged in one step, so that no save of an editor is overwritten
    lease: bool  # an editor cannot write into a file while it is being replaced
    attributes: bool  # extended attributes are copied to the new version of a file


def abilities(root: Root) -> Abilities:
    """Test what the file system of a workspace can do; afterwards only the state folder remains.

    Raises:
        MdmemError: nothing can be written there.
    """
    place = root.place(f"{locks.FOLDER}/{_PROBE}", make=True)
    probe = place._replace(name=place.name.sibling(f".{_PROBE}.{os.urandom(8).hex()}.mdmem"))
    try:
        fill(probe.name, b"mdmem")
    except OSError as error:
        facts = {"reason": error.strerror}
        raise WriteError("could not be written: {reason}", path=STATE_FOLDER, facts=facts) from error
    try:
        return Abilities(_locks(root), RELATIVE, can_exchange(place.name), _leases(probe), _attributes(probe))
    finally:
        discard(probe.name)


def _locks(root: Root) -> bool:
    try:
        with locks.locked(root, [_PROBE], 1):
            return True
    except LockedError:  # another process tests at the same time
        return True
    except MdmemError:
        return False


def _leases(probe: ResolvedPath) -> bool:
    descriptor = open_file(probe)
    try:
        with leased(descriptor, 0) as lease:
            return lease.held
    finally:
        os.close(descriptor)


def _attributes(probe: ResolvedPath) -> bool:
    if not hasattr(os, "setxattr"):
        return False
    descriptor = open_file(probe)
    try:
        os.setxattr(descriptor, "user.mdmem", b"1")
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
