"""Finds numbers by their check digits: card numbers, Chinese identity numbers and bank accounts (IBAN)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.secrets import Secret
from mdmem.text.pattern import pattern

_DIGITS_SHAPE = bytes(
    ord("0") if byte in b"0123456789" else ord("-") if byte in b" -" else ord("x") for byte in range(256)
)
# the beginning of an account; a character beyond ASCII, encoded as `?`, may be a digit
_ACCOUNT_SHAPE = bytes(
    ord("A") if byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ" else ord("0") if byte in b"0123456789?" else ord("x")
    for byte in range(256)
)
_ACCOUNT = b"AA00"
_RUNS = (b"0000-0000-0000", b"0" * 13, b"0000-000000-00000")
_CARD = pattern(
    r"(?<![\w.,/=#@-])(?:[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?"
    r"|3[47]\d\d([ -])\d{6}\2\d{5}|\d{15,19})(?![\w/@-])"
)
_ISSUER = pattern(r"4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6011\d{12}|65\d{14}|35\d{14}|3[47]\d{13}|62\d{14,17}")
_ID = pattern(
    r"(?<![\w.-])[1-8]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\w-])", re.ASCII
)
# numbers for tests, as processors of payments and standards publish them; 400000 is issued for nothing else
_EXAMPLES = frozenset((
    "378282246310005", "371449635398431", "4012888888881881", "4009348888881881", "4005519200000004",
    "5200828282828210", "6011000990139424", "3530111333300000", "11010519491231002X",
))  # fmt: skip
_TESTING = "400000"

_IBAN = pattern(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?: ?[A-Z0-9]{1,4}){3,8}(?![a-z])")
_IBAN_LENGTHS = (  # length of each country's number, from the registry of ISO 13616
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
    "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 "
    "QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
)
_LENGTH_OF = {one[:2]: int(one[2:]) for one in _IBAN_LENGTHS.split()}
_IBAN_SAMPLES = frozenset((  # examples of the registry and of encyclopedias
    "DE89370400440532013000", "GB29NWBK60161331926819", "GB82WEST12345698765432", "NL91ABNA0417164300",
    "FR1420041010050500013M02606", "CH9300762011623852957", "BE68539007547034", "ES9121000418450200051332",
))  # fmt: skip


def find_numbers(text: str) -> Iterator[Secret]:
    """Yield the card numbers, identity numbers and bank accounts whose check digits are right."""
    yield from _cards_and_identities(text)
    yield from _accounts(text)


def _accounts(text: str) -> Iterator[Secret]:
    for match in _account_like(text):
        length = _LENGTH_OF.get(match.group()[:2], 0)
        end, account = match.start(), ""
        while len(account) < length and end < match.end():
            account += text[end].strip()
            end += 1
        bounded = not text[end : end + 1].isalnum()
        if length and len(account) == length and bounded and account not in _IBAN_SAMPLES and is_iban(account):
            yield "bank account", match.start(), end


def _account_like(text: str) -> Iterator[re.Match[str]]:
    shape = text.encode("ascii", "replace").translate(_ACCOUNT_SHAPE)
    start = shape.find(_ACCOUNT)
    while start >= 0:
        if match := _IBAN.match(text, start):
            yield match
        start = shape.find(_ACCOUNT, match.end() if match else start + 1)


def is_iban(letters: str) -> bool:
    """Return whether the two check digits of an account number without blanks are right (ISO 7064, modulo 97)."""
    return int("".join(str(int(char, 36)) for char in letters[4:] + letters[:4])) % 97 == 1


def _cards_and_identities(text: str) -> Iterator[Secret]:
    shape = text.encode("ascii", "replace").translate(_DIGITS_SHAPE)
    end = 0
    for needle in _RUNS:
        start = shape.find(needle)
        while start >= 0:
            end = start + len(needle)
            if match := _CARD.match(text, start):
                digits = re.sub(r"\D", "", match.group())
                if _ISSUER.fullmatch(digits) and len(set(digits)) > 4 and luhn(digits) and not is_test_card(digits):
                    yield "card number", *match.span()
            has_century = text[start + 6 : start + 8] in ("19", "20")
            if has_century and (match := _ID.match(text, start)) and chinese_id(match[0]) and match[0] not in _EXAMPLES:
                yield "identity number", *match.span()
            while shape[end : end + 1] == b"0":
                end += 1
            start = shape.find(needle, end)


def is_test_card(digits: str) -> bool:
    """Return whether a card number is one that payments are tested with."""
    return digits in _EXAMPLES or digits.startswith(_TESTING)


def luhn(digits: str) -> bool:
    """Return whether the last digit of a card number is right (Luhn)."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(int(digit) for digit in digits[::-2]) + sum(doubled)) % 10 == 0


def chinese_id(number: str) -> bool:
    """Return whether the last character of a Chinese identity number is right (GB 11643)."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()
