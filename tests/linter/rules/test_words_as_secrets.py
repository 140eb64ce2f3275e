"""Secrets that are words: recovery phrases with their checksum, passphrases, spoken passwords; codes after a word."""

from __future__ import annotations

import hashlib
import random
import string

import pytest
from conftest import Lint

from mdmem.linter.detect.spoken.bip39_words import ENGLISH
from mdmem.linter.masking import every_secret, mask

_DICE = random.Random(20261127)
_WORDS = ENGLISH.split()


def recovery_phrase(words: int) -> list[str]:
    """Draw a phrase as BIP 39 makes it: bits, then the first bits of their SHA-256."""
    entropy = _DICE.randbytes(words * 4 // 3)
    check = words // 3
    value = int.from_bytes(entropy, "big") << check | hashlib.sha256(entropy).digest()[0] >> (8 - check)
    return [_WORDS[value >> 11 * (words - 1 - at) & 2047] for at in range(words)]


def test_the_list_is_that_of_the_standard() -> None:
    """The digest of the list as it is published, one word a line."""
    published = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
    assert hashlib.sha256(("\n".join(_WORDS) + "\n").encode()).hexdigest() == published


@pytest.mark.parametrize("count", [12, 15, 18, 21, 24])
def test_a_recovery_phrase_needs_no_word_before_it(count: int) -> None:
    words = recovery_phrase(count)
    numbered = "\n".join(f"{number}. {word}" for number, word in enumerate(words, 1))
    for text in (
        " ".join(words),
        f"in the safe: {', '.join(words)}",
        numbered,
        "\n".join(words),
        " ".join(words).upper(),
    ):
        assert [name for name, *_ in every_secret(text)] == ["recovery phrase"], text
        assert words[3] not in mask(text).lower()
    among = f"bring the blue paper {' '.join(words)} and burn the paper"
    assert " ".join(words) not in mask(among)


def test_the_words_of_the_list_alone_are_no_phrase() -> None:
    words = recovery_phrase(12)
    other = next(word for word in _WORDS if not list(every_secret(" ".join([*words[:11], word]))))
    assert other != words[11]
    assert not list(every_secret(" ".join(words[:11])))


@pytest.mark.parametrize(
    "said",
    [
        "pwd tR8" + "kLm2vQ9",
        "the passphrase is ferry walnut cobalt tundra",
        "our passphrase: ferry-walnut-cobalt-tundra",
        "passphrase ferry walnut cobalt tundra",
        "Passphrase for the backup disk is ferry walnut cobalt.",
        "口令：青山不改绿水长流",
        "接头口令 青山依旧夕阳红",
        "密语是「月上柳梢头」",
        "access code 5174#",
        "the access code is 5174",
        "Access code: *5174",
    ],
)
def test_what_a_person_says_is_found(said: str, lint: Lint) -> None:
    found = lint(f"## 笔记\n\n- 2026-02-13: {said}\n", "MEMORY.md")
    assert any(one.code == "MM502" and one.severity == "error" for one in found)


@pytest.mark.parametrize(
    "said",
    [
        "pwd prints the working directory",
        "run `pwd` before cd build2",
        "echo $PWD release2024",
        "the passphrase is stored in the keychain",
        "passphrase: never written down anywhere",
        "a passphrase protects the key file",
        "the passphrases are four random words",
        "口令过期了",
        "口令 已经改成新的了",
        "密语是他们之间的暗号",
        "暗号文を読む",
        "access code review is on Monday",
        "HTTP access codes 401 and 403",
        "the team will bring bread cheese water paper pencil camera blanket jacket ticket map",
    ],
)
def test_what_is_said_about_them_is_not(said: str) -> None:
    assert not list(every_secret(said))


@pytest.mark.parametrize("prefix", ["sk-or-", "sk-or-v1-"])
def test_a_key_of_openrouter_has_its_name(prefix: str) -> None:
    drawn = "".join(_DICE.choice(string.hexdigits.lower()) for _ in range(64))
    assert [name for name, *_ in every_secret(f"use {prefix}{drawn} there")] == ["OpenRouter key"]
