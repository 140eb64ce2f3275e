"""The verbs of the index: status, rebuild, check. Nobody needs them; the index looks after itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.cli import output
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Group
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.cli.terminal import safe
from mdmem.messages.counted import Counted

if TYPE_CHECKING:
    from mdmem import Workspace

index = Group()
_WORDS = {
    "en": {
        "file": "in .mdmem/index.db", "cache": "in your cache folder",
        "memory": "in memory: no file can be written here",
        "status": "{rows:piece|pieces} of {files:file|files}; {size} KB for {text} KB of text, {place}",
        "whole": "the index is as it should be",
        "mended": "the index was missing, old, or changed by others; it has been built anew",
        "wrong": "the index did not say what the files say; it has been built anew",
    },
    "zh": {
        "file": "在 .mdmem/index.db", "cache": "在你的缓存目录", "memory": "在内存里：这里不能写文件",
        "status": "{files} 个文件里的 {rows} 条内容；正文 {text} KB，索引 {size} KB，{place}",
        "whole": "索引没有问题",
        "mended": "索引不在、过旧，或被别的程序改过；已经重建",
        "wrong": "索引与文件不一致；已经重建",
    },
}  # fmt: skip


@index.command(zh="显示索引里有什么、有多大。")
def status(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show what the index holds and how large it is."""
    work = parameters.workspace(root, lang)
    _show(work, as_json=json)


@index.command(zh="从文件重新建立索引。")
def rebuild(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Build the index anew from the files."""
    work = parameters.workspace(root, lang)
    work.index.rebuild()
    _show(work, as_json=json)


@index.command(zh="和重新建立的索引比较；不一致时退出码为 1，之后都是对的。")
def check(root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Compare the index with one built anew; exit 1 where they differed. Either way it is right afterwards."""
    work = parameters.workspace(root, lang)
    same, mended = work.index.check(), work.index.rebuilt
    if json:
        output.json({"same": same, "rebuilt": mended or not same})
    else:
        print(_WORDS[work.lang]["wrong" if not same else "mended" if mended else "whole"])
    return int(not same)


def _show(work: Workspace, *, as_json: bool) -> None:
    status, meaning = work.index.status(), work.index.meaning
    if as_json:
        output.json({**status._asdict(), "meaning": meaning.status()._asdict()})
        return
    said = _WORDS[work.lang]
    sizes = {"size": f"{status.bytes / 1000:.0f}", "text": f"{status.text_bytes / 1000:.0f}"}
    print(
        said["status"].format(rows=Counted(status.rows), files=Counted(status.files), place=said[status.place], **sizes)
    )
    if told := meaning.told():
        print(safe(told))
