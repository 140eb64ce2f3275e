"""Words that carry a sentence and no content: a question is not looked up by them, unless it has no others."""

from __future__ import annotations

from functools import lru_cache

from mdmem.core.pattern import pattern
from mdmem.core.words.stem import stem

_ENGLISH = """
a about above after again all also am an and any are aren as at be because been before being below between both but by
can cannot could couldn d did didn do does doesn doing don done down during each either else ever every few for from
further get gets getting got had hadn has hasn have haven having he her here hers herself him himself his how however
i if in into is isn it its itself just let ll m many may maybe me might mine more most much must my myself no nor not of
off on once one only or other our ours ourselves out over own per please quite rather re really s said same say says
she should shouldn so some such t tell than that the their theirs them themselves then there these they this those
through to too under until up upon us ve very was wasn way we well were weren what when where whether which while who
whom whose why will with within without won would wouldn yes yet you your yours yourself yourselves
dont doesnt didnt isnt arent wasnt werent wont cant couldnt wouldnt shouldnt hasnt havent hadnt im ive id youre youve
hes shes theyre theyve thats whats whos lets
"""
_CHINESE = """
的 了 吗 呢 吧 啊 呀 嘛 哦 么 着 过 地 得 之 其 所 以 是 在 有 和 与 及 或 而 且 但 也 都 就 还 又 很 更 最
把 被 给 让 对 向 从 到 于 为 因 由
我 你 他 她 它 您 咱 们 这 那 哪 谁 几 某 每 个 些 请 问 能 会 要 可
什么 怎么 怎样 怎么样 如何 为什么 为何 哪里 哪儿 哪个 哪些
多少 谁的 是谁 是否 是不是 有没有 请问 告诉 可以 能否 以及 因为 所以 但是 而且
或者 如果 那么
这个 那个 这些 那些 我们 你们 他们 她们 它们 自己 一个 一下 一些 什么时候 关于
年 月 日 号
"""
_JAPANESE = """
は が を に の と も で へ や か ね よ な だ です ます した して する いる ある こと もの これ それ あれ
どの どこ いつ 何 から まで たい ない
"""
_KOREAN = "은 는 이 가 을 를 에 의 도 와 과 로 으로 에서 하고 무엇 언제 어디 누구 어떤"

_STOP = frozenset([*_ENGLISH.split(), *_CHINESE.split(), *_JAPANESE.split(), *_KOREAN.split()])
_PHRASES = pattern("|".join(sorted((one for one in _CHINESE.split() if len(one) > 1), key=len, reverse=True)))


def without_phrases(text: str) -> str:
    """Take the phrases out of a Chinese question that would leave pairs of no content behind."""
    return text if text.isascii() else _PHRASES.sub(" ", text)


@lru_cache(maxsize=10_000)
def is_stop(term: str) -> bool:
    """Tell whether a term (folded, stemmed) carries no content."""
    alike = (word for word in _ENGLISH.split() if word.startswith(term[:2])) if term.isascii() else ()
    return term in _STOP or any(stem(word) == term for word in alike)  # to stem them all takes longer than a search
