"""Finds passwords, PINs, card and identity numbers in sentences: `my password is …`, `密码是…`, `パスワードは…`.

The word alone does not count: «密码学», «reset your password» and «the password is stored in a vault» are ordinary
sentences. A value counts if a link (`is`, `是`, `:`) is before it and it does not read as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from mdmem.linter.detect.check_digits import find_numbers
from mdmem.linter.detect.secrets import Secret
from mdmem.linter.detect.spoken.account_pairs import find_account_pairs
from mdmem.linter.detect.spoken.beside_words import find_beside_words
from mdmem.linter.detect.spoken.lock_codes import BEFORE, find_lock_codes
from mdmem.linter.detect.spoken.pass_phrases import find_pass_phrases
from mdmem.linter.detect.spoken.password_values import (
    FINAL,
    PHRASE,
    SIGN,
    TRAIL,
    has_digit,
    has_letter,
    is_number,
    is_password,
    is_year,
)
from mdmem.linter.detect.spoken.table_cells import Cell, cells_below
from mdmem.linter.views.decoded_views import DecodedView, Needles, needles
from mdmem.text.entry import read_entry
from mdmem.text.inline import mask
from mdmem.text.pattern import Pattern, pattern

# What may be between the word and the value; no field of the line, as in «the password for [source:: …]».
_GAP = (
    r"(?:\s(?:for|to|of|on|at|used|für|zum|vom|von|des|der|du|de|del|do|da|pour|para|la|voor|för|от|для|до|к)\s"
    r"[^\n.;:：=?!。；\[]{1,40}?)?"
)
_NOTE = r"(?:\s?[(（][^)）\n]{1,20}[)）])?"
_LINK = (
    r"(?!::\w+\()(?:[\"'`*_]{0,3}\s{0,3}(?:=>|->|→|:=|::(?=\s)|[:：]|={1,2}(?!=)|＝)"
    r"|\s{1,3}(?:is|was|will be|should be|lautet|ist|est|es|é|jest|är|это|=)"
    r"(?:\s(?:now|currently|still|just|actually|jetzt|maintenant|ahora))?"
    r"(?:\s(?:set|changed|reset|updated)\sto)?\s?:?(?=[\s\"'`])"
    r"|\s(?:has\sbeen\s)?(?:set|changed|reset|updated)\sto(?=\s)"
    r"|\s?(?:已经?|也|就|仍|还|都|被|重新)?(?:是|为|改为|改成|改到|设为|设成|设置为|设置成|更新为|换成|用的是|叫)了?[:：]?"
    r"|\s?(?:は|が|を|とは|：)|\s?(?:는|은|가|이|를|을|:))"
)
# «the password's …», «the password? It's …»
_OWN = r"['’]s\s{1,3}(?:(?:now|still|just)\s)?|\?\s{1,2}it(?:['’]s|\sis)\s{1,3}"
_CELL = r"[*_]{0,2}[ \t]{0,40}\|(?=[ \t])[ \t]{0,3}"  # the word is a cell of a table, the value is the next cell
# «user/password: kim / …»: the text before the word, and the name before the value
_USERS = ("号", "户", "名", "戶", "號", "user", "name", "login", "account")
_PAIRED = "|".join(f"(?<={user}{slash})" for user in _USERS for slash in ("/", " / ", "／", "、", "和"))
_NAME = r"(?(pair)(?P<user>[\x21-\x2e\x30-\x7e]{1,64}\s{0,2}[/／]\s{0,2}[\"'`]?)?)"
_VALUE = (
    r"(?:[*_]{2}(?=\s))?\s{0,3}(?P<open>[*_]{0,2}[\"'`“‘「『《«]?)"
    rf"{_NAME}(?P<value>[\x21-\x7e]{{3,128}})"
)


class Spoken(NamedTuple):
    """One form of sentence that contains a secret."""

    kind: str
    needles: tuple[str, ...]  # letters to search in the lower-cased text
    word: Pattern  # the whole word around them, and what may follow
    shape: Pattern  # the word, the link and the value
    mixed: bool  # the word has other meanings; only a value with a digit or a sign counts
    before: Pattern | None = None  # what must be before the word, which says too little alone; the value is marked then


# First characters of a note, a gap or a link; this cheap test excludes most words.
_NEXT = r"(?=[\s|(（?\"'’`*_=\-→:：＝已经也就仍还都被重是为改设更换用叫はがをと는은가이를을])"


def _spoken(
    kind: str, words: str, word: str, *, bare: bool = False, mixed: bool = False, before: Pattern | None = None
) -> Spoken:
    """Return a form; `bare` if the value may follow the word after a blank only."""
    alone = f"{_CELL}|{_OWN}|\\s{{1,3}}" if bare else f"{_CELL}|{_OWN}"
    link = f"(?:{_NOTE}{_GAP}{_LINK}|(?P<bare>{alone}))"
    first = pattern(f"(?:{word}){_NEXT}", re.IGNORECASE)
    return Spoken(
        kind,
        tuple(words.split("|")),
        first,
        pattern(f"(?P<pair>{_PAIRED})?(?:{word}){link}{_VALUE}", re.IGNORECASE),
        mixed,
        before,
    )


# «pass» is a ticket, a step and a result too. It is a password as the last part of a name (`DB_PASS`), with an owner
# («my Netflix pass is …»), and beside a user.
_STEPS = "full partial half dry first second third last one two multi single render shadow depth all by"
_TICKETS = "boarding bus train rail ski gym day season press parking visitor museum travel"
_NO_STEP = "".join(f"(?<!{step})" for step in _STEPS.split())
_NO_TICKET = "".join(f"(?<!{ticket}\\s)" for ticket in _TICKETS.split())
_PASS_BEFORE = pattern(
    rf"(?:[A-Za-z0-9]{_NO_STEP}[_-]|\b(?:my|our|his|her|their)\s(?:[\w.'-]{{1,20}}\s){{1,3}}{_NO_TICKET}"
    r"|\b(?:user(?:name)?|login|account|network|ssid)\b[^\n]{1,30}?[,;/|\s]\s{0,2})\Z",
    re.IGNORECASE,
)

_RULES = (
    _spoken("password", "pass", r"(?:pass(?:word|wd|code|phrase| phrase|e)|passwort)(?!s\b)"),
    _spoken("password", "pass", r"pass(?![\w-])", before=_PASS_BEFORE),
    _spoken("password", "mdp|kennwort|contrase", r"(?:mdp|kennwort|contrase[nñ]a)"),
    # Russian and Ukrainian, Portuguese, Polish, Dutch, Swedish, Norwegian, Danish, Czech, Turkish, Italian, Vietnamese
    _spoken("password", "парол|senha|hasło|wachtwoord|lösenord|passord|adgangskode|heslo|şifre|parola|mật khẩu",
            r"(?:пароль?|senha|hasło|wachtwoord|lösenord|passord|adgangskode|heslo|şifre|parola|mật\skhẩu)",
            mixed=True),
    _spoken("password", "pwd", r"(?<!\$)pwd", bare=True),
    _spoken("access code", "提取码|提取碼|访问码|分享码|解压码", r"(?:提取|访问|分享|解压)[码碼]", bare=True),
    _spoken("password", "pw", r"pw(?=\s?[:=]|\s(?:is|was)\s)", mixed=True),
    _spoken("password", "wifi|wi-fi|wlan", r"(?:wi-?fi|wlan)[\s-]?(?:key|schlüssel|code)", mixed=True),
    _spoken("password", "clave", "clave", mixed=True),  # Spanish for any kind of key
    _spoken("password", "密|口令|暗号|パス|暗証番号",
            r"(?:密\s?码|密\s?碼|密钥|口令|暗号|パスワード|パスコード|パスフレーズ|暗証番号)", bare=True),
    _spoken("password", "비밀번호|암호|패스워드|비번", r"(?:비밀번호|암호|패스워드|비번)", bare=True),
    _spoken("PIN", "pin|puk", r"p(?:in|uk)(?:[\s-]?(?:code|number|码))?"),
    _spoken("CVV", "cv|安全码", r"(?:cvv2?|cvc2?|安全码)(?:[\s-]?(?:code|number|码))?", bare=True),
    _spoken("identity number", "passport|护照|護照|社保|社会保障|social security",
            r"(?:passport|护照|護照|社保卡?|社会保障|social\ssecurity)(?:\s?(?:number|n[or]\b\.?|\#|号码?|號碼?))?",
            bare=True),
    _spoken("card number", "卡号|卡號|カード番号|카드 번호|카드번호", r"(?:卡号|卡號|カード番号|카드 ?번호)"),
    _spoken("bank account", "account n|acct|routing n|sort code|aba ",
            r"(?:account|acct)\.?\s?(?:number|no\b\.?|nr\b\.?)|routing\s?(?:number|no\b\.?)|aba(?:\s?number)?|sort\scode",
            bare=True),
    _spoken("bank account", "银行|收款|对公|开户|汇款",
            r"(?:银行|收款|对公|开户|汇款)(?:账|帐|卡)[号户](?:号?码)?", bare=True),
    _spoken("identity number", "身份证|ssn|マイナンバー|주민등록번호",
            r"(?:身份证(?:号码?)?|ssn|マイナンバー|주민등록번호)", bare=True),
)  # fmt: skip
_NEEDLES = Needles(
    ((needle, (needle, form)) for form in _RULES for needle in form.needles), inside=("pass",)  # as in `dbPassword`
)  # fmt: skip
# Twelve to twenty-four words that restore a wallet (BIP 39), or as many Chinese characters.
_PHRASE_NEEDLES = needles(
    "phrase", "mnemonic", "seed words", "recovery words", "助记词", "助記詞", "恢复短语", "备份短语", inside=True
)
_PHRASE_WORD = r"(?:\d{1,2}[.)、]\s{0,2})?[a-z]{3,8}"
_SEED = pattern(
    r"(?:(?:seed|recovery|backup|wallet|secret)\s(?:recovery\s)?phrase|mnemonic|(?:seed|recovery)\swords"
    r"|助记词|助記詞|恢复短语|备份短语)[^\na-z]{0,12}(?:is|are|是|为)?[^a-z\u3400-\u9fff]{0,12}"
    rf"(?P<value>{_PHRASE_WORD}(?:[\s,]{{1,3}}{_PHRASE_WORD}){{11,23}}(?![\s,]{{0,3}}[a-z])"
    r"|[\u3400-\u9fff](?:\s[\u3400-\u9fff]){11,23}(?!\S))"
)
_PHRASE_LENGTHS = (12, 15, 18, 21, 24)
_PROSE = frozenset(
    [
        "the",
        "and",
        "for",
        "from",
        "was",
        "are",
        "not",
        "but",
        "has",
        "had",
        "our",
        "its",
        "your",
        "were",
        "with",
        "been",
        "they",
        "would",
    ]
)
_OF_FILES = ("解压", "解壓", "提取", "分享")
_CODE_LENGTH = 4  # length of the code in the address of a shared file
_LONGEST = 128  # length of the longest password in a cell
_TAIL = 16  # characters behind a value that tell what it counts
_DIGITS = pattern(r"\d{4,12}[#*]?")
_ESCAPED_LINE = pattern(r"\\[nr]")  # the end of a line in JSON and in source code
_BARE_LEAST = 6  # length of the shortest password that follows its word without a link
# a mention of a person, and the number of a request or a task: what «fix password @ann7» names
_REFERENCE = pattern(r"@[A-Za-z][\w-]*+|(?:PR|MR|feat|fix|issue|bug)[-_#]?\d{1,7}", re.IGNORECASE)
_OPTIONS = needles(  # what each match of the pattern begins with
    "--pass", "sshp", "curl", "mysql", "mariadb", "docker", "podman", "pgp", "pga", "rediscli", "net", "openssl",
    "ssha",
)  # fmt: skip
_OPTION = pattern(
    r"(?:--pass(?:word|wd|phrase)[ ]|\bsshpass\s-p\s?"
    r"|\bcurl\s[^\n]{0,80}?(?<=\s)(?:-u|--user)\s[\"']?[^\s:\"']{1,40}:(?!//)"
    r"|\b(?:docker|podman)\slogin\s[^\n]{0,80}?(?<=\s)-p[ =]"
    r"|\b(?:PG|MYSQL_|REDISCLI_|SSH)(?:PASSWORD|PWD|AUTH|PASS)="
    r"|\bnet\suse\s[^\n]{0,80}?/user:\S{1,60}[ ]|\bopenssl\s[^\n]{0,80}?(?<=\s)-k[ ]"
    r"|\b(?:mysql|mariadb)(?:dump|admin|import|-dump|-admin)?\s(?:[^\n|;]{0,80}?\s)?-p)"
    r"(?P<bare>(?!))?(?P<user>(?!))?(?P<pair>(?!))?(?P<open>[\"']?)(?P<value>[!-,.-~][\x21-\x7e]{2,127})"
)

# «password Kz8-river-99», also on the next line: without a link only what has letters of both cases, digits and signs
_AND_NEEDLES = needles("pass", "contrase")
_AND_VALUE = pattern(
    r"(?<![\w-])(?:[Pp]ass(?:word|wd|phrase)|PASSWORD|[Pp]asswort|[Cc]ontraseña)"
    r"(?:[ \t]{1,3}(?:[-–—][ \t]{1,3})?|[ \t]{0,3}\r?\n[ \t]{0,8})"
    r"(?P<bare>(?!))?(?P<user>(?!))?(?P<pair>(?!))?(?P<open>[\"'`]?)"
    r"(?=\S{0,63}[a-z])(?=\S{0,63}[A-Z])(?=\S{0,63}\d)(?=\S{0,62}[-_!@#$%^&*+=~?]\S)(?P<value>[\x21-\x7e]{8,64})(?!\S)"
)

# headings of columns with passwords, and headings beside which a password of digits counts
_HEADING = pattern(
    r"(?:(?:登录|登陆|初始|默认|管理|wi-?fi)\s?)?(?:密\s?[码碼]|口令|パスワード|비밀번호)"
    r"|(?<![\w-])pass(?:word|wd|code)?(?![\w-])|(?<![\w-])pwd(?![\w-])|passwort|contraseña",
    re.IGNORECASE,
)
_ACCOUNT = pattern(
    r"[账帐賬帳][号號户戶]|用户|用戶|邮箱|手机|网站|平台|user|login|account|e-?mail|host|site|ユーザ|사용자|アカウント",
    re.IGNORECASE,
)
_NEXT_LINE, _PAIR = pattern(r"[\r\n]"), pattern(r"[\w.-]{1,60}[=:]")
_PREDICATE, _PREDICATE_CHARS = "predicate", 80  # the field, and the last characters of its value that are read
_MOST_NAMES = 4  # most predicates of an entry that are read; a fact has one
_ITEM = pattern(r"(?:^|\n)[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]|\n[ \t\r]*(?=\n)")  # where an entry begins, or ends
_KEY_NAME = pattern(  # a predicate that makes a value a key, which need not be random then
    r"(?:(?:api|access|secret|private|auth|encryption|signing|master|service|licen[sc]e|ssh)[\s_-]?key"
    r"|(?:api|client|app|shared)[\s_-]?secret|(?:api|access|auth|bot|refresh|session|bearer)[\s_-]?token"
    r"|秘钥|令牌|私钥)\s*\Z",
    re.IGNORECASE,
)
_WORD = pattern(r"[\x21-\x7e]{3,}")


def find_spoken(view: DecodedView) -> Iterator[Secret]:
    """Yield every value that a sentence, or the predicate of an entry, calls a password or the like."""
    yield from _in_sentences(view)
    if f"[{_PREDICATE}" in view.lower:
        yield from _named_by_field(view.text)


def _in_sentences(view: DecodedView) -> Iterator[Secret]:
    yield from _after_words(view)
    for beginnings, shape in ((_OPTIONS, _OPTION), (_AND_NEEDLES, _AND_VALUE)):
        for match in view.matches(beginnings, shape):
            if length := _value(_RULES[0], match, in_shell=shape is _OPTION):
                yield "password", match.start("value"), match.start("value") + length
    if "|" in view.text:
        cells = cells_below(view.text, _HEADING)
        yield from (("password", *cell.span) for cell in cells if _is_in_column(view.text, cell))
    if any(needle in view.lower for needle in _PHRASE_NEEDLES.held_by(view)):
        yield from _phrases(view.text, view.lower)
    yield from find_account_pairs(view)
    yield from find_beside_words(view)
    yield from find_pass_phrases(view)
    yield from find_lock_codes(view)
    yield from find_numbers(view.text)


def _after_words(view: DecodedView) -> Iterator[Secret]:
    """Yield what a link joins to a word of secrecy."""
    text, lower = view.text, view.lower
    for needle, form in _NEEDLES.held_by(view):
        at = lower.find(needle)
        while at >= 0:
            match = _begins(form, text, at, needle) and form.shape.match(text, at)
            if match and (length := _value(form, match)):
                start = match.start("value")
                yield _kind(form, text, match, length), start, start + length
            at = lower.find(needle, match.end("value") if match else at + len(needle))


def _begins(form: Spoken, text: str, start: int, needle: str) -> bool:
    """Return whether the word of a form begins here, with what must be before it and what may follow."""
    if not (_begins_word(text, start, needle) and form.word.match(text, start)):
        return False
    return form.before is None or form.before.search(text, max(0, start - BEFORE), start) is not None


def _named_by_field(text: str) -> Iterator[Secret]:
    """Yield the values of entries whose predicate alone says what they are: `- X [predicate:: password]`."""
    bounds = sorted({0, len(text), *(match.start() for match in _ITEM.finditer(text))})
    for bound, end in pairwise(bounds):
        if _PREDICATE not in text[bound:end].lower():
            continue
        start = match.end() if (match := _ITEM.match(text, bound, end)) else bound
        parts = read_entry(text[start:end])
        said = mask(text[start:end], sorted(field.span for field in parts.fields), " ")
        last = parts.id_span.start if parts.id_span else end - start
        names = dict.fromkeys(one.value for one in parts.fields if one.key.strip().casefold() == _PREDICATE)
        for name in islice(names, _MOST_NAMES):
            for kind, begin, stop in _named(name[-_PREDICATE_CHARS:].strip(), said[parts.body.start : last]):
                yield kind, start + parts.body.start + begin, start + parts.body.start + stop


def _named(name: str, text: str) -> Iterator[Secret]:
    """Yield the secrets of a text of which a name says what it is.

    A text that is one word is read as after a link. Of several words, those are secrets that look like one: `kept in
    the drawer` is no password.
    """
    is_key = _KEY_NAME.search(name) is not None
    label = f"{'password' if is_key else name}: "
    words = list(_WORD.finditer(text))
    alone = len(words) == 1 and not is_key and not (text[: words[0].start()] + text[words[0].end() :]).strip()
    for word in words:
        said = f"{label}{text[word.start() : word.end() + _TAIL]}"
        for kind, start, end in _in_sentences(DecodedView(said)):
            value, begin = said[start:end], word.start() + start - len(label)
            is_own = len(label) <= start < len(label) + len(word.group())
            if is_own and (alone or kind != "password" or _is_marked(value, is_key=is_key)):
                yield "key" if is_key else kind, begin, begin + len(value)


def _is_marked(value: str, *, is_key: bool) -> bool:
    """Return whether a word among others looks like a password: by its digits, its signs, or as four words in one."""
    if is_key or not (SIGN.search(value) or PHRASE.match(value)):
        return len(value) >= _BARE_LEAST and has_digit(value) and (has_letter(value) or not is_key)
    return True


def _is_in_column(text: str, cell: Cell) -> bool:
    """Return True for a password below its heading; one of digits only needs a column of accounts beside it."""
    value = cell.span.of(text)
    if not 4 <= len(value) <= _LONGEST or not (value.isascii() and value.isprintable()) or " " in value:
        return False
    marked = has_digit(value) or SIGN.search(value)
    return bool(
        marked and is_password(value, "\n", quoted=False) and (has_letter(value) or _ACCOUNT.search(cell.heads))
    )


def _kind(form: Spoken, text: str, match: re.Match[str], length: int) -> str:
    """Return the kind of a value; `?pwd=` with four characters, and `解压密码`, belong to a shared file."""
    start = match.start()
    if form.kind == "password" and text[max(0, start - 2) : start] in _OF_FILES:
        return "access code"
    is_code = length == _CODE_LENGTH and text[start : start + 4] == "pwd=" and text[start - 1 : start] in ("?", "&")
    return "access code" if is_code else form.kind


def _phrases(text: str, lower: str) -> Iterator[Secret]:
    for match in _SEED.finditer(lower):
        words = [word.strip("0123456789.)、") for word in re.split(r"[\s,]+", match["value"])]
        words = [word for word in words if word]
        if len(words) in _PHRASE_LENGTHS and not _PROSE.intersection(words) and len(text) == len(lower):
            yield "recovery phrase", *match.span("value")


def _begins_word(text: str, start: int, needle: str) -> bool:
    """Return whether a Latin word begins here: «compass» and «opinion» contain no needle; `db_password` does."""
    before = text[start - 1 : start]
    if not needle.isascii() or not before.isascii() or not before.isalpha():
        return True
    return needle == "pass" and text[start].isupper() and before.islower()  # dbPassword


def _value(form: Spoken, match: re.Match[str], *, in_shell: bool = False) -> int:
    """Return the length of the value after the link, or after an option in a shell; 0 if it is not a secret."""
    kind = form.kind
    raw = match["value"]
    quote = match["open"].strip("*_")
    close = {"“": "”"}.get(quote, quote)
    value = raw[: raw.find(close)] if quote and close in raw else raw
    if value.rstrip("\"'`,;)").endswith("...") or match.string.startswith("…", match.start("value") + len(value)):
        return 0  # cut short by the author
    if _NEXT_LINE.search(match.string, match.start(), match.start("value")) and _PAIR.match(raw):
        return 0  # the word has no value; the next line is something else
    if match.string[max(0, match.start() - 1) : match.start()] in ("?", "&"):
        value = value.partition("&")[0]  # the next parameter of an address
    value = value.rstrip(TRAIL) if not quote else value
    value = _ESCAPED_LINE.split(value, maxsplit=1)[0]
    value = re.split(r"[,;|](?=\s|\Z|[\"'])|[\"'`]", value, maxsplit=1)[0] if not quote else value
    end = match.start("value") + len(value)
    tail = match.string[end : end + _TAIL]
    if match["user"] and match["user"].rstrip(" /／\"'`") == value:
        return 0  # the user name, not a password
    if kind != "password":
        return len(value) if is_number(kind, value, tail) else 0
    alone = match["pair"] is not None and not match["user"]  # only the name or the password is present
    if (form.mixed or alone) and not (SIGN.search(value) or has_digit(value)):
        return 0
    if (match["bare"] or form.before) and not (_is_mixed(value) or _are_digits_alone(match, value, tail)):
        return 0
    if match["bare"] and _REFERENCE.fullmatch(value):
        return 0
    is_assigned = in_shell or "=" in match.string[match.start() : match.start("open")]
    return len(value) if is_password(value, tail, quoted=bool(quote), assigned=is_assigned and quote != "'") else 0


def _is_mixed(value: str) -> bool:
    return len(value) >= _BARE_LEAST and has_digit(value) and has_letter(value)


def _are_digits_alone(match: re.Match[str], value: str, tail: str) -> bool:
    """Return whether digits after a Chinese, Japanese or Korean word, as in «wifi密码 88776655», end there.

    A few digits may be a year or a number that counts something: «密码 12 位», «密码 2024 年换过».
    """
    if not match["bare"] or match["bare"].strip() or match.string[match.start("bare") - 1].isascii():
        return False
    return _DIGITS.fullmatch(value) is not None and not is_year(value) and FINAL.match(tail) is not None
