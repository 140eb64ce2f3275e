"""Signs manifests with an SSH key, and tells who signed one: `ssh-keygen -Y`, with the user's own list of signers."""

from __future__ import annotations

import os
import subprocess
import tempfile

from mdmem.config.bundle_manifest import MANIFEST, SIGNATURE, UnfitBundleError
from mdmem.config.trust import config_folder

SIGNERS = "~/.config/mdmem/allowed_signers"  # for messages; XDG_CONFIG_HOME may replace the first part
ANYBODY = "?"  # the signature is whole, and its key is not among the user's signers
_PROGRAM = "ssh-keygen"
_NAMESPACE = "mdmem-bundle"
_SECONDS = 60  # a person may be asked for the passphrase of a key


def sign(data: bytes, key: str) -> bytes:
    """Return the signature of a manifest by the SSH key in a file; raises UnfitBundleError."""
    with tempfile.TemporaryDirectory(prefix="mdmem-") as folder:
        path = os.path.join(folder, MANIFEST)
        _store(path, data)
        done = _run("-Y", "sign", "-q", "-n", _NAMESPACE, "-f", os.path.abspath(os.path.expanduser(key)), path)
        if done is None or done.returncode:
            raise UnfitBundleError("no-key" if done else "no-ssh", key=os.path.basename(key), program=_PROGRAM)
        with open(os.path.join(folder, SIGNATURE), "rb") as stream:
            return stream.read()


def signer(data: bytes, signature: bytes) -> str:
    """Return who signed a manifest, as the user's list of signers calls them.

    `?` is anybody else, and everybody where ssh-keygen is missing; empty means that it is not signed.

    Raises:
        UnfitBundleError: the signature is not of this manifest.
    """
    if not signature:
        return ""
    with tempfile.TemporaryDirectory(prefix="mdmem-") as folder:
        path = os.path.join(folder, SIGNATURE)
        _store(path, signature)
        whole = _run("-Y", "check-novalidate", "-n", _NAMESPACE, "-s", path, data=data)
        if whole is None:
            return ANYBODY
        if whole.returncode:
            raise UnfitBundleError("signature", path=SIGNATURE)
        allowed = os.path.join(config_folder() or "", "allowed_signers")
        if not os.path.isfile(allowed):
            return ANYBODY
        found = _run("-Y", "find-principals", "-s", path, "-f", allowed)
        for name in found.stdout.decode("utf-8", "replace").splitlines() if found and not found.returncode else ():
            proof = _run("-Y", "verify", "-f", allowed, "-I", name, "-n", _NAMESPACE, "-s", path, data=data)
            if proof is not None and not proof.returncode:
                return name
    return ANYBODY


def _run(*arguments: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes] | None:
    """Run ssh-keygen; None if it is missing or takes too long. Only signing may ask at the terminal."""
    try:
        return subprocess.run(  # noqa: S603 - no shell, fixed verbs
            [_PROGRAM, *arguments], input=data, capture_output=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _store(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)
