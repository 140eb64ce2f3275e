"""Finds links, images and sentences that send data out of the workspace.

An image is fetched when a person views the page, so an address with data in it sends that data. Signatures, tracking
parameters and the addresses of image proxies are long, but contain nothing of the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.secrets import decode
from mdmem.linter.views.decoded_views import DecodedView, needles
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_TARGET = pattern(r"\]\(\s{0,4}<?(?P<url>[^\s<>]{1,4000}(?:\{\{[^}\n]{0,80}\}\}[^\s<>)]{0,400})?)")
_AUTOLINK = pattern(r"<(?P<url>(?:javascript|vbscript|data):[^\s<>]{1,4000})>", re.IGNORECASE)
_SCHEMES = needles("script:", "<data:", inside=True)
_SCRIPT = pattern(r"(?:javascript|vbscript):|data:(?!image/|font/|audio/|video/)", re.IGNORECASE)
# Variables that are filled in when the address is used: anywhere in it, or only in its query.
_FILLED = pattern(r"\{\{|\$\{|\$\(|<%|%7B%7B", re.IGNORECASE)
_FILLED_QUERY = pattern(r"%s|%\(|=\{[a-z_]{2,40}\}|\$[A-Z_]{3,}", re.IGNORECASE)
_VARIABLE = pattern(
    r"\$\{{1,2}[^{}\n]{1,80}\}|\{\{[^{}\n]{1,80}\}\}|<%[^%\n]{1,80}%>|\$\([^()\n]{1,80}\)|=\{[a-z_]{2,40}\}|\$[A-Z_]{3,}"
)
_OF_PEOPLE = pattern(  # what a variable is named after whose value is private
    r"conversation|chat|memor|messag|histor|secret|token|passw|key|credential|context|prompt|content|data|summar|note"
    r"|answer|response|text|email|profile|session|cookie|output|input|cat |env\b|printenv|base64|encode",
    re.IGNORECASE,
)
_ADDRESS = pattern(r"https?://[^/?#\s)]+(?P<rest>[^#\s)]*)", re.IGNORECASE)
_LONG_WORD = pattern(r"[A-Za-z0-9+/_-]{40,}=*")
_SPACE = pattern(r"(?<![A-Za-z0-9/]{20})(?:%20|\+|%0A)", re.IGNORECASE)  # in base64 a `+` follows many letters
_PRIVATE = (
    r"(?:conversations?|chat(?:\s(?:history|log))?s?|memor(?:y|ies)|passwords?|secrets?|credentials?|api\skeys?|tokens?|"
    r"private\s(?:keys?|data)|user(?:'s)?\s(?:data|messages?|files?)|messages?|history|system\sprompt|everything|environment\s"
    r"variables|\.env|contents?\sof\s(?:this|the)\sfile)"
)
_SEND = pattern(
    rf"(?:send|upload|forward|exfiltrat|transmit|email)(?:s|e|ing)?\s(?:(?:all|every|any|the|this|these|your|"
    rf"our|their|my|its|full|entire|whole|of|recent|last|user's|complete)\s){{0,5}}{_PRIVATE}(?:\s(?:and|or|with|of)\s[\w\s]{{1,30}}?)?"
    r"\s(?:\w{1,12}\s){0,3}?(?:to|at|via|into)\s(?:\w{1,12}\s){0,3}?(?:<?`?https?://|(?:\w{1,12}\s)?webhook)",
    re.IGNORECASE,
)
_SEND_ZH = pattern(
    r"[把将將][^。\n，,]{0,12}?(?:对话|對話|聊天记录|记忆|密码|密钥|口令|令牌|凭据|隐私|用户(?:的)?(?:数据|消息|信息|资料)|系统提示词|环境变量|文件内容)"
    r"[^。\n]{0,12}?(?:发送|发到|发给|上传|提交|转发|传到|推送|POST)[^。\n]{0,8}?(?:https?://|webhook|钩子)",
    re.IGNORECASE,
)
_FILL_IN = pattern(
    r"\b(?:append|add|insert|put|include|encode|embed|substitute|fill\sin|attach)\s"
    r"(?!your\s(?:\w{1,12}\s)?(?:api\skeys?|tokens?|credentials?|secrets?)\s(?:to|in|into)\s(?:the|your)\s"
    r"(?:config|settings|env|\.env|file))"  # as manuals ask of their reader
    rf"(?:\w{{1,12}}\s){{0,4}}?{_PRIVATE}"
    rf"|\breplace\s(?P<standin>\S{{1,20}})\s(?:with|by)\s(?:\w{{1,12}}\s){{0,4}}?{_PRIVATE}",
    re.IGNORECASE,
)
_FILL_IN_ZH = pattern(
    r"[把将將][^。\n]{0,12}?(?:对话|對話|聊天记录|记忆|密码|密钥|口令|令牌|凭据|用户(?:的)?(?:数据|消息|信息|资料)|系统提示词|环境变量|文件内容)"
    r"[^。\n]{0,12}?(?:填[入进到]|拼[到接在]|附[在到上加]|加[到在]|替换|编码|放[到进在]|写[入进到])"
)
# a query that tells only where a reader came from, or which page is shown
_ORIGIN = pattern(
    r"(?:(?:utm_[a-z]{1,16}|lang|language|locale|hl|lng|ref|from|source|medium|campaign|tab|version|v|theme)=[\w.%+~-]{1,60}"
    r"(?:&amp;|&|(?=#)|\Z))+(?:#\S*)?",
    re.IGNORECASE,
)
_PRONOUNS = frozenset(("", "it", "this", "that", "them", "everything"))
_BESIDE = 200  # characters around a link in which an order about it is searched
_LEAST_SPACES = 2  # fewest spaces in prose that base64 encodes
_MEDIA_BEFORE = pattern(  # an image or a player, and the path of its file
    r"(?:!\[[^\]\n]{0,200}\]\(<?|<(?:img|video|audio|source)\b[^<>\n]{0,300}?\s(?:(?:data-)?src|poster)\s?=\s?[\"']?"
    r"|<(?:img|source)\b[^<>\n]{0,300}?\ssrcset\s?=\s?[\"'](?:[^\"'<>\n]{0,2000}[\s,])?)https?://[^\s\"'<>()]{0,3000}\Z"
    r"|https?://[^\s\"'<>()?]{1,1000}\.(?:png|jpe?g|gif|webp|svg|avif|bmp|mp4|webm|mov|m4v|m3u8|mp3|ogg|wav)\?[^\s\"'<>()]{0,3000}\Z",
    re.IGNORECASE,
)
_IN_ADDRESS = pattern(r"[?&](?:amp;)?[\w.-]{1,40}=\Z")
_ANY_ADDRESS = pattern(r"https?://[^\s\"'<>]*")
_OF_STORE = r"(?:sv|se|sp|sr|spr)="  # parameters of an address of Azure, which opens a store of files
_STORE_BEFORE = pattern(rf"[?&](?:amp;)?{_OF_STORE}")
_STORE_BEHIND = pattern(rf"[^\s\"'<>()]{{0,400}}?[&;]{_OF_STORE}")
_MEDIA_LENGTH = 4000  # characters before a value in which the beginning of its address is searched
_SQL = pattern(r"\s*(?:select|with|insert|create|show|explain|describe|from)\b", re.IGNORECASE)
# Files that hold keys, and what sends one: `curl -d @FILE`, `cat FILE | nc`, `scp FILE host:`
_KEY_FILE = (
    r"[~\w./-]{0,60}?(?:id_rsa|id_ed25519|\.env\b|\.netrc\b|\.aws/|\.ssh/|MEMORY\.md|/etc/(?:passwd|shadow)|\.git-credentials|\.kube/config)"
    r"[\w./-]{0,30}"
)
_SHELL = pattern(
    r"\b(?:curl|wget)\b[^\n]{0,200}?(?:(?:-[dFT]|--data(?:-binary|-raw)?|--form|--upload-file|--post-file)[ =]?"
    rf"['\"]?(?:\w{{1,20}}=)?@?{_KEY_FILE}"
    rf"|\$\((?:cat|base64)\s{_KEY_FILE})"
    rf"|\b(?:cat|base64)\s{_KEY_FILE}[^\n|]{{0,40}}\|[^\n]{{0,60}}?\b(?:nc|ncat|curl|wget)\s"
    r"|\b(?:env|printenv)\s?\|\s?[^\n]{0,60}?\b(?:curl|nc|ncat|wget)\s"
    rf"|\bscp\s[^\n]{{0,40}}?{_KEY_FILE}\s\S{{1,60}}:"
)
_SHELL_NEEDLES = needles("curl ", "wget ", "| nc", "scp ", inside=True)
_TO_MAIL = pattern(
    r"(?:send|forward|e?-?mail|upload|copy|post|append|add)\s(?:all|every|any|the|your|their|its|user's|\s){0,30}"
    r"(?:\w{1,12}\s){0,2}?(?:address\sbook|contacts|passwords?|secrets?|credentials|tokens|api\skeys|private\skeys|memor(?:y|ies)|conversations?"
    r"|chat\shistory|(?:all|every)\se?-?mails?|mails\sof\sthe\suser|contents?\sof\s\S{2,40}|[~\w./-]{0,40}(?:\.env|credentials|id_rsa|MEMORY\.md))"
    r"(?:\s(?:you\ssee|of\sthe\suser|of\sthis\sfolder))?\s(?:to|into)\s(?:the\s(?:paste\sservice|next\scommit\smessage)|[\w.+-]{1,40}@[\w.-]{3,60}|https?://)",
    re.IGNORECASE,
)
_TO_MAIL_NEEDLES = needles(
    "send ", "forward ", "mail ", "upload ", "append every", "post the content", "copy the private", inside=True
)
_TO_MAIL_ENDS = ("@", "://", "paste service", "commit message")
_SEND_ZH_ANY = pattern(
    r"(?:悄悄|偷偷|暗中|私下)[^。\n，,]{0,6}?[把将][^。\n，,]{0,12}?(?:对话|记忆|密码|密钥|通讯录|邮件|聊天记录)[^。\n]{0,8}?(?:发送|发到|发给|上传|转发)"
    r"|[把将][^。\n，,]{0,12}?(?:对话|记忆|密码|密钥|通讯录|邮件|聊天记录|\.env|MEMORY\.md)[^。\n，,]{0,8}?(?:发送|发到|发给|上传|转发)[^。\n]{0,4}?"
    r"(?:[\w.+-]{1,40}@[\w.-]{3,60}|https?://|[a-z0-9-]{1,40}\.[a-z]{2,12}\b)",
    re.IGNORECASE,
)
_SEND_ZH_NEEDLES = ("发送", "发到", "发给", "上传", "转发")
_NEAR = 80  # characters between an order to fill in and a bare address
_OPEN_END = pattern(r"=(?=[\s。，,.]|\Z)|=[\[<{]")  # of an address whose parameter is empty, or waits for a value
_LONGEST = 400  # characters before that end in which the address begins
_BARE_ADDRESS = pattern(r"https?://[^\s?<>()]{1,200}\?[^\s<>()]{0,200}=", re.IGNORECASE)
_OPEN_QUERY = pattern(
    r"https?://[^\s?<>()]{1,200}\?[^\s<>()]{0,200}=[\[<{](?:(?:the|last|full|whole|user|my)[\s_-]){0,3}"
    r"(?:conversation|chat|memor|history|message|secret|password|user_?data)",
    re.IGNORECASE,
)
_HANDLERS = needles("onerror", "onload")
# Not the handler of a component, `onLoad={load}`, `onload={{action 'x'}}`, of which HTML runs nothing: an attribute
# without quotation marks ends at a blank.
_HANDLER = pattern(
    r"<[a-z]{1,12}\b[^<>\n]{0,400}?\son(?:error|load)\s?="
    r"(?!\{{1,2}[\w$.]+\s|\{[\w$.]+\}(?=[\s/>])|\{\{[\w$.]+\}\}(?=[\s/>])|\{\([\w$,]*\)\s)",
    re.IGNORECASE,
)
_VERBS = needles("send", "upload", "forward", "exfiltrat", "transmit", "email", inside=True)


def find_links(view: DecodedView, most: int) -> Iterator[tuple[str, int, int]]:
    """Yield every link, image and sentence that sends data out, as (kind, start, end).

    An address does so if it contains a template variable, text in base64, or prose of more than `most` words in the
    query of an image, or if an order beside it says what to fill in. A long query or a signature alone contains no
    data.
    """
    text = view.text
    if "](" in text:
        for match in _TARGET.finditer(text):
            image = _is_image(text, match.start())
            if kind := _link_kind(match["url"], most, image=image) or _kind_by_order(text, match):
                yield kind, *match.span("url")
    if any(scheme in view.lower for scheme in _SCHEMES.held_by(view)):
        yield from (("script", *match.span("url")) for match in _AUTOLINK.finditer(text) if _SCRIPT.match(match["url"]))
    if any(name in view.lower for name in _HANDLERS.held_by(view)):
        yield from (("script", *match.span()) for match in _HANDLER.finditer(text))
    yield from _sentences(view)
    yield from _other_ways(view)


def in_media_address(text: str, start: int) -> bool:
    """Return whether a value is a parameter in the address of an image, a video or a sound."""
    if not _IN_ADDRESS.search(text, max(0, start - 48), start):
        return False
    begin = max(text.rfind("\n", 0, start) + 1, start - _MEDIA_LENGTH)
    return _MEDIA_BEFORE.search(text, begin, start) is not None


def asks_nothing_private(text: str, span: Span) -> bool:
    """Return whether a span is the target of a plain link whose variables are named, and after nothing private.

    The variables may be written in percent codes.
    """
    from urllib.parse import unquote  # takes a tenth of a start-up

    names = [match.group() for match in _VARIABLE.finditer(unquote(span.of(text)))]
    return in_plain_link(text, span) and bool(names) and not any(map(_OF_PEOPLE.search, names))


def in_plain_link(text: str, span: Span) -> bool:
    """Return whether a span is the target of a link that a person opens, and of no image."""
    at = text.rfind("](", max(0, span.start - 8), span.start)
    return at >= 0 and not _is_image(text, at)


def signs_page(text: str, span: Span) -> bool:
    """Return whether a value is the signature of an address that opens one page, and no store of files."""
    begin = text.rfind("http", max(0, span.start - _MEDIA_LENGTH), span.start)
    return (
        begin >= 0
        and text.endswith("sig=", 0, span.start)
        and _ANY_ADDRESS.fullmatch(text, begin, span.start) is not None
        and not _STORE_BEFORE.search(text, begin, span.start)
        and not _STORE_BEHIND.match(text, span.end)
    )


def _kind_by_order(text: str, link: re.Match[str]) -> str:
    """Return the kind of a link with a query if an order is beside it: «put the conversation into its q»."""
    url = link["url"]
    query = url.partition("?")[2].partition(")")[0]
    if "?" not in url:
        return ""
    near = text[max(0, link.start() - _BESIDE) : link.end() + _BESIDE]
    orders = _FILL_IN.finditer(near)
    if _ORIGIN.fullmatch(query):  # only what is to be replaced in it could take something along
        return "sentence" if any(order["standin"] and _is_about(order, url) for order in orders) else ""
    is_told = any(_is_about(order, url) for order in orders)
    return "sentence" if is_told or (not near.isascii() and _FILL_IN_ZH.search(near)) else ""


def _is_about(order: re.Match[str], url: str) -> bool:
    """Return whether an order to fill in can be about an address: what «replace X with …» names stands in it."""
    standin = (order["standin"] or "").strip("\"'`<>[]{}*")
    return standin.lower() in _PRONOUNS or standin in url


def _sentences(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Yield sentences such as «send the conversation to https://…»; without an address nothing can be sent."""
    text, lower = view.text, view.lower
    if "://" not in lower and "webhook" not in lower:
        return
    for verb in _VERBS.held_by(view):
        start = lower.find(verb)
        while start >= 0:
            if match := _SEND.match(text, start):
                yield "sentence", *match.span()
            start = lower.find(verb, match.end() if match else start + len(verb))
    if not text.isascii():
        yield from (("sentence", *match.span()) for match in _SEND_ZH.finditer(text))


def _other_ways(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Yield orders of a shell and sentences that send private data, and addresses that are to be filled in."""
    text, lower = view.text, view.lower
    yield from _shell_lines(view)
    if any(end in lower for end in _TO_MAIL_ENDS):
        for needle in _TO_MAIL_NEEDLES.held_by(view):
            at = lower.find(needle)
            while at >= 0:
                if match := _TO_MAIL.match(text, at):
                    yield "sentence", *match.span()
                at = lower.find(needle, at + 1)
    if not text.isascii() and any(needle in text for needle in _SEND_ZH_NEEDLES):
        yield from (("sentence", *match.span()) for match in _SEND_ZH_ANY.finditer(text))
    if "://" in lower and "?" in lower:
        yield from _open_addresses(text)


def _shell_lines(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Yield the commands that send a file with keys; only the lines of such a program are searched."""
    text, lower, end = view.text, view.lower, 0
    for needle in _SHELL_NEEDLES.held_by(view):
        at = lower.find(needle)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = len(text) if end < 0 else end
            if match := _SHELL.search(text, max(start, at - _LONGEST), min(end, at + _LONGEST)):
                yield "sentence", *match.span()
            at = lower.find(needle, end)


def _open_addresses(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the addresses outside of links whose last parameter a model is to fill in."""
    for end in _OPEN_END.finditer(text):
        start = text.rfind("http", max(0, end.start() - _LONGEST), end.start())
        if start < 0:
            continue
        if match := _OPEN_QUERY.match(text, start):
            yield "template", *match.span()
        elif (match := _BARE_ADDRESS.match(text, start)) and match.end() == end.end():
            before = text[max(0, start - _NEAR) : start]
            if _FILL_IN.search(before) or (not before.isascii() and _FILL_IN_ZH.search(before)):
                yield "sentence", *match.span()


def _is_image(text: str, close: int) -> bool:
    """Return whether the bracket that closes here was opened by `![`."""
    before = text[max(0, close - 200) : close]
    opening = before.rfind("[")
    return opening > 0 and before[opening - 1] == "!"


def _link_kind(url: str, most: int, *, image: bool) -> str:
    """Return what is wrong with the target of a link; empty for an ordinary one."""
    if ":" not in url:  # a path
        return ""
    if _SCRIPT.match(url):
        return "script"
    if not (address := _ADDRESS.match(url)):
        return ""
    path, _, query = address["rest"].partition("?")
    if _FILLED.search(address["rest"]) or _FILLED_QUERY.search(query):
        return "template"
    prose = image and len(_SPACE.findall(query)) >= most
    texts = [word for word in _LONG_WORD.findall(f"{path} {query}") if _is_text(word)]
    if texts and not image:  # a link to a console of a database holds a query, which a person opens
        texts = [word for word in texts if not _SQL.match(decode(word).decode())]
    return "data" if prose or texts else ""


def _is_text(word: str) -> bool:
    """Return True if base64 encodes prose; an image proxy encodes the address of an image, a service JSON."""
    data = decode(word)
    if not (data and data.isascii() and data.decode().isprintable()):
        return False
    return data.count(b" ") >= _LEAST_SPACES and b"://" not in data
