"""`mdmem explain`: the rules of the linter, and the page of each."""

from __future__ import annotations

from typing import Annotated

from mdmem.doors.declare import Argument
from mdmem.doors.language import spoken
from mdmem.doors.usage import nearest, wrong
from mdmem.doors.verbs.given import Json, Lang


def explain(
    code: Annotated[
        str, Argument(help="A rule's code or name; none lists all.", zh="规则的代码或名称；不写就列出全部。")
    ] = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Explain a rule: what it finds, why, a bad and a good example, and how it is mended."""
    from mdmem.doors import rules

    speaks = lang or spoken()
    if not code:
        rules.listed(speaks, as_json=json)
    elif (rule := rules.find(code)) is not None:
        rules.page(rule, speaks, as_json=json)
    else:
        raise wrong("no-rule", nearest(code.lower(), rules.names()), code=code)
