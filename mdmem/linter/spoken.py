"""Passwords, PINs, card and identity numbers said in words: `my password is …`, `密码是…`, `パスワードは…`.

The word alone says nothing: «密码学», «reset your password» and «the password is stored in a vault» are ordinary
sentences. What counts is a value behind a link (`is`, `是`, `:`), and that the value does not read as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.core.pattern import pattern
from mdmem.linter.secrets import Secret, is_filler

# What is spoken of: its kind, the letters to look for in the lower-cased text, and the whole word around them.
_GAP = r"(?:\s(?:for|to|of|on|at|used|für|zum|vom|von|des|der|du|de|del|pour|para|la)\s[^\n.;:：=?!。；]{1,40}?)?"
_NOTE = r"(?:\s?[(（][^)）\n]{1,20}[)）])?"
_LINK = (
    r"(?:[\"'`*_]{0,3}\s{0,3}(?:=>|->|→|:=|[:：]|={1,2}(?!=)|＝)"
    r"|\s{1,3}(?:is|was|will be|should be|lautet|ist|est|es|was|=)(?:\s(?:now|currently|jetzt|maintenant|ahora))?"
    r"(?:\s(?:set|changed|reset|updated)\sto)?\s?:?(?=[\s\"'`])"
    r"|\s(?:has\sbeen\s)?(?:set|changed|reset|updated)\sto(?=\s)"
    r"|\s?(?:已经?|也|就|仍|还|都|被|重新)?(?:是|为|改为|改成|改到|设为|设成|设置为|设置成|更新为|换成|用的是|叫)[:：]?"
    r"|\s?(?:は|が|を|とは|：)|\s?(?:는|은|가|이|를|을|:))"
)
_VALUE = r"\s{0,3}(?P<open>[*_]{0,2}[\"'`“‘「『《«]?)(?P<value>[\x21-\x7e]{3,128})"
_KINDS = (
    ("password", ("pass",), r"(?:pass(?:word|wd|code|phrase| phrase|e)|passwort)(?!s\b)"),
    ("password", ("pwd", "mdp", "kennwort", "contrase", "clave"), r"(?:pwd|mdp|kennwort|contrase[nñ]a|clave)"),
    ("password", ("密", "口令", "暗号", "パス", "暗証番号"),
     r"(?:密\s?码|密\s?碼|密钥|口令|暗号|パスワード|パスコード|パスフレーズ|暗証番号)"),
    ("password", ("비밀번호", "암호", "패스워드", "비번"), r"(?:비밀번호|암호|패스워드|비번)"),
    ("PIN", ("pin",), r"pin(?:[\s-]?(?:code|number|码))?"),
    ("CVV", ("cv", "安全码"), r"(?:cvv2?|cvc2?|安全码)(?:[\s-]?(?:code|number|码))?"),
    ("card number", ("卡号", "卡號", "カード番号", "카드 번호", "카드번호"),
     r"(?:卡号|卡號|カード番号|카드 ?번호)"),
    ("identity number", ("身份证", "ssn", "マイナンバー", "주민등록번호"),
     r"(?:身份证(?:号码?)?|ssn|マイナンバー|주민등록번호)"),
)  # fmt: skip
# What a note, a gap or a link begins with: the cheap question, for most words are followed by something else.
_NEXT = r"(?=[\s(（\"'`*_=\-→:：＝已经也就仍还都被重是为改设更换用叫はがをと는은가이를을])"
_RULES = tuple(
    (
        kind,
        needles,
        pattern(f"(?:{word}){_NEXT}", re.IGNORECASE),
        pattern(f"(?:{word}){_NOTE}{_GAP}{_LINK}{_VALUE}", re.IGNORECASE),
    )
    for kind, needles, word in _KINDS
)
_LATIN = tuple(
    (kind, latin, word, shape)
    for kind, needles, word, shape in _RULES
    if (latin := tuple(filter(str.isascii, needles)))
)
_OPTION = pattern(r"--pass(?:word|wd|phrase)[ ](?P<open>[\"'`]?)(?P<value>[^\s-][\x21-\x7e]{2,127})")

_TRAIL = ".,;:!?)]}>*_\"'`"
# what is said of passwords, what stands for one, and the names of what keeps or hides them
_SAID = (
    "required optional missing incorrect wrong invalid valid correct strong weak empty blank null none nil "
    "undefined true false yes no not set unset unknown unclear known same different needed mandatory secure "
    "insecure safe unsafe visible public private plain plaintext text string str int bool bytes char varchar "
    "secret secrets password passwords passwd user username admin root test guest default example changeme todo "
    "tbd n/a redacted masked hidden here there below above elsewhere first next last too also only always never "
    "ok okay fine ready done gone lost stale old new long short simple complex unique easy hard everything "
    "something nothing what where when why how who which mine yours theirs his hers ours it this that these those "
    "wifi wi-fi email phone bitwarden keepass keychain vault lastpass dashlane hash hashes salt bcrypt scrypt "
    "argon2 argon2id pbkdf2 sha1 sha-1 sha256 sha-256 sha512 sha-512 md5 aes aes128 aes256 aes-128 aes-256 base64 "
    "utf8 utf-8 oauth oauth2 oauth2.0 totp 2fa mfa 1password 1passwd x509 rsa rsa2048 ed25519 hs256 rs256 json "
    "yaml self env getpass prompt stdin important sensitive confidential personal tricky critical key keys token "
    "tokens auth login case-sensitive write-only read-only back fake dummy falsch richtig obligatoire requis "
    "incorrecta correcta obligatoria abgelaufen sicher one-time "
)
_STOP = frozenset(_SAID.split())
_ADJECTIVE = pattern(r"(?:ed|en|ing|able|ible|al|ive|ory|ic|ful|less|ly|ary|ous|ent|ant|word|ated|'s)\Z")
_COUNT = pattern(  # «8 characters», «6位», «3 times»: a number that counts
    r"\s?(?:[+~-]|characters?|chars?|digits?|letters?|words?|bits?|bytes?|times?|days?|attempts?|minutes?|zeichen|"
    r"caract|chiffres|dígitos|位|个|個|字符|字|次|天|分钟|文字|桁|자|회|글자|[年月日号])",
    re.IGNORECASE,
)
_DATE = pattern(r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:T.*)?\Z|v?\d+(?:\.\d+)+\Z|\d{1,2}-\d{1,2}\Z|\d{1,2}:\d\d")
_CODE = pattern(r"[(){}<>]|\[|\]|\\|\$[A-Za-z{(]|%[sd({]|\|\||&&|://|\A[/~]|\A\.{1,2}/|::|=>|\A--?\w|\A[|>]\Z")
_NAMES = pattern(
    r"[A-Za-z_][A-Za-z_]*(?:[._/-][A-Za-z_]+)*\Z|[A-Za-z_]+\.[A-Za-z_]\w*\Z"
)  # words, dotted names, paths, snake_case
_ENV = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_SIGN = pattern(r"[@#$%^&*+=~!?]")
_PHRASE = pattern(r"[a-z]+(?:-[a-z]+){3,}\Z")  # correct-horse-battery-staple
_FINAL = pattern(r"[\"'`”’」』》»*_]{0,3}(?:\s*(?:です|だ|입니다|이다))?\s*(?:[.!;,)。！；，、）]|\n|\r|\Z)")
_QUESTION = pattern(r"\s?(?:吗|嗎|么|呢|？|ですか|か？|입니까|인가요|\?)")


def find_spoken(text: str, lower: str) -> Iterator[Secret]:
    """Give the kind and place of every value that is said to be a password or the like; `lower` is the text folded."""
    for kind, needles, word, shape in _LATIN if lower.isascii() else _RULES:
        for needle in needles:
            if needle[0] not in lower:  # one character is found ten times as fast as a word
                continue
            at = lower.find(needle)
            while at >= 0:
                match = _begins_word(text, at, needle) and word.match(text, at) and shape.match(text, at)
                if match and (length := _value(kind, match)):
                    start = match.start("value")
                    yield kind, start, start + length
                at = lower.find(needle, match.end("value") if match else at + len(needle))
    if "--pass" in lower:
        for match in _OPTION.finditer(text):
            if length := _value("password", match):
                yield "password", match.start("value"), match.start("value") + length
    yield from _numbers(text)


def _begins_word(text: str, at: int, needle: str) -> bool:
    """Tell whether a Latin word begins here: «compass» and «opinion» do not hold one; `db_password` does."""
    before = text[at - 1 : at]
    if not needle.isascii() or not before.isascii() or not before.isalpha():
        return True
    return needle == "pass" and text[at].isupper() and before.islower()  # dbPassword


def _value(kind: str, match: re.Match[str]) -> int:
    """Judge what stands behind the link; give the length of the value, 0 where it is none."""
    raw = match["value"]
    quote = match["open"].strip("*_")
    close = {"“": "”"}.get(quote, quote)
    value = raw[: raw.find(close)] if quote and close in raw else raw
    value = value.rstrip(_TRAIL) if not quote else value
    value = value.removesuffix("\\n")
    value = re.split(r"[,;|](?=\s|\Z|[\"'])|[\"'`]", value, maxsplit=1)[0] if not quote else value
    end = match.start("value") + len(value)
    tail = match.string[end : end + 16]
    if kind != "password":
        return len(value) if _number(kind, value, tail) else 0
    return len(value) if _password(value, tail, quoted=bool(quote)) else 0


def _number(kind: str, value: str, tail: str) -> bool:
    digits = re.sub(r"[ -]", "", value + tail if kind == "card number" else value)
    if _COUNT.match(tail):
        return False
    if kind == "PIN":
        return value.isdigit() and 4 <= len(value) <= 8
    if kind == "CVV":
        return value.isdigit() and 3 <= len(value) <= 4
    if kind == "card number":
        return re.match(r"\d{12,19}(?!\d)", digits) is not None and len(set(digits[:16])) > 2
    return re.fullmatch(r"\d{17}[\dXx]|\d{3}-?\d{2}-?\d{4}|\d{6}-\d{7}|\d{12}", value) is not None


def _password(value: str, tail: str, *, quoted: bool) -> bool:
    """Tell a password from a word, a date, a count, a name in code or a stand-in."""
    folded = value.casefold()
    if len(value) < 4 or folded in _STOP or is_filler(value) or set(value) <= set("*.-_•#"):
        return False
    if _CODE.search(value) or _DATE.match(value) or _ENV.match(value) or re.match(r"\w+@\w+\.\w+", value):
        return False
    if value.isdigit():
        return not _COUNT.match(tail) and not _QUESTION.match(tail)
    if not _NAMES.match(value):  # a digit or a sign in it
        mixed = any(char.isdigit() for char in value) or len(_SIGN.findall(value)) >= 1
        return mixed and not (_COUNT.match(tail) and len(value) < 6)
    if _PHRASE.match(value) and "pass" not in value:
        return True
    if not value.isalpha() or _QUESTION.match(tail):
        return False
    plain = len(value) >= 5 and (quoted or not _ADJECTIVE.search(folded))
    return plain and (quoted or value.islower() or not value[1:].islower()) and _FINAL.match(tail) is not None


_DIGITS_SHAPE = bytes(
    ord("0") if byte in b"0123456789" else ord("-") if byte in b" -" else ord("x") for byte in range(256)
)
_RUNS = (b"0000-0000-0000", b"0" * 13, b"0000-000000-00000")
_CARD = pattern(
    r"(?<![\w.,/=#@-])(?:[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?"
    r"|3[47]\d\d([ -])\d{6}\2\d{5}|\d{15,19})(?![\w/@-])"
)
_ISSUER = pattern(r"4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6011\d{12}|65\d{14}|35\d{14}|3[47]\d{13}|62\d{14,17}")
_ID = pattern(
    r"(?<![\w.-])[1-8]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\w-])", re.ASCII
)
_EXAMPLES = frozenset(("378282246310005", "371449635398431", "4012888888881881", "11010519491231002X"))


def _numbers(text: str) -> Iterator[Secret]:
    """Give card and identity numbers that their check digits prove."""
    shape = text.encode("ascii", "replace").translate(_DIGITS_SHAPE)
    done = 0
    for needle in _RUNS:
        at = shape.find(needle)
        while at >= 0:
            done = at + len(needle)
            if match := _CARD.match(text, at):
                digits = re.sub(r"\D", "", match.group())
                if luhn(digits) and _ISSUER.fullmatch(digits) and len(set(digits)) > 4 and digits not in _EXAMPLES:
                    yield "card number", *match.span()
            born = text[at + 6 : at + 8] in ("19", "20")  # the century
            if born and (match := _ID.match(text, at)) and chinese_id(match[0]) and match[0] not in _EXAMPLES:
                yield "identity number", *match.span()
            while shape[done : done + 1] == b"0":
                done += 1
            at = shape.find(needle, done)


def luhn(digits: str) -> bool:
    """Check the last digit of a card number."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(int(digit) for digit in digits[::-2]) + sum(doubled)) % 10 == 0


def chinese_id(number: str) -> bool:
    """Check the last character of a Chinese identity number (GB 11643)."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()
