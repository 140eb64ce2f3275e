"""Links, images and sentences that carry data out of the workspace.

An image is fetched as soon as somebody looks at the page, so an address with data in its query sends that data. A
short query, a badge and an ordinary link are none of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.core.pattern import pattern
from mdmem.linter.secrets import decode
from mdmem.linter.views import View

_TARGET = pattern(r"\]\(\s{0,4}<?(?P<url>[^\s<>]{1,4000}(?:\{\{[^}\n]{0,80}\}\}[^\s<>)]{0,400})?)")
_AUTOLINK = pattern(r"<(?P<url>(?:javascript|vbscript|data):[^\s<>]{1,4000})>", re.IGNORECASE)
_SCRIPT = pattern(r"(?:javascript|vbscript):|data:(?!image/|font/|audio/|video/)", re.IGNORECASE)
_FILLED = pattern(r"\{\{|\$\{|\$\(|%s|%\(|<%|\{[a-z_]{2,40}\}|%7B%7B|\$[A-Z_]{3,}", re.IGNORECASE)
_QUERY = pattern(r"https?://[^/?#\s)]+[^?#\s)]*\?(?P<query>[^#\s)]*)", re.IGNORECASE)
_BADGES = pattern(
    r"https?://(?:[\w-]+\.)*(?:shields\.io|badge\.fury\.io|badgen\.net|star-history\.com|codecov\.io|github\.com|"
    r"githubusercontent\.com|contrib\.rocks|vercel\.app|opencollective\.com|readthedocs\.org|amazonaws\.com)/",
    re.IGNORECASE,
)
_LONG_WORD = pattern(r"[A-Za-z0-9+/_-]{40,}=*")
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
_VERBS = ("send", "upload", "forward", "exfiltrat", "transmit", "email")


def find_links(view: View, most: int) -> Iterator[tuple[str, int, int]]:
    """Give the kind and place of every link or sentence that carries data out; `most` characters of query pass."""
    text = view.text
    if "](" in text:
        for match in _TARGET.finditer(text):
            if kind := _judge(match["url"], most, image=_is_image(text, match.start())):
                yield kind, *match.span("url")
    if "script:" in view.lower or "<data:" in view.lower:
        yield from (("script", *match.span("url")) for match in _AUTOLINK.finditer(text) if _SCRIPT.match(match["url"]))
    yield from _sentences(view)


def _sentences(view: View) -> Iterator[tuple[str, int, int]]:
    """Find «send the conversation to https://…»; without an address there is nowhere to send it."""
    text, lower = view.text, view.lower
    if "://" not in lower and "webhook" not in lower:
        return
    for verb in _VERBS:
        at = lower.find(verb)
        while at >= 0:
            if match := _SEND.match(text, at):
                yield "sentence", *match.span()
            at = lower.find(verb, match.end() if match else at + len(verb))
    if not text.isascii():
        yield from (("sentence", *match.span()) for match in _SEND_ZH.finditer(text))


def _is_image(text: str, close: int) -> bool:
    """Tell whether the bracket that closes here was opened by `![`."""
    before = text[max(0, close - 200) : close]
    opened = before.rfind("[")
    return opened > 0 and before[opened - 1] == "!"


def _judge(url: str, most: int, *, image: bool) -> str:
    """Tell what is wrong with a link's target; nothing for an ordinary one."""
    if ":" not in url:  # a path
        return ""
    if _SCRIPT.match(url):
        return "script"
    if not (found := _QUERY.match(url)):
        return ""
    query = found["query"]
    if _FILLED.search(query):
        return "template"
    if _BADGES.match(url):
        return ""
    if image and (len(query) > most or query.count("%20") + query.count("+") > 5):
        return "data"
    hidden = any(_is_text(word) for word in _LONG_WORD.findall(query))
    return "data" if hidden or (image and _LONG_WORD.search(query)) else ""


def _is_text(word: str) -> bool:
    data = decode(word)
    return bool(data) and data.isascii() and data.decode().isprintable()
