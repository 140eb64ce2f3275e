"""What people write is no paste, however long it is."""

from __future__ import annotations

import pytest

from mdmem.formats.paste import pastes

LINES, CHARS = 24, 3000
WRITTEN = {
    "a long Chinese message": "今天早上我先去了医院，排了两个小时的队，医生说没有大碍，" * 150,
    "Chinese paragraphs": "\n".join(
        ["我们下午再商量一下行程吧，酒店我已经看了三家，都还可以，价格差不多，就是离车站有点远" * 3] * 30
    ),
    "a shopping list": "\n".join(f"- thing {number}; two of them" for number in range(40)),
    "an indented list": "\n".join(f"  - point {number} (see p. {number})" for number in range(40)),
    "numbered wishes": "\n".join(f"{number}. use the blue pan for dish {number} (small)" for number in range(40)),
    "checkboxes": "\n".join(f"[{number}] do thing (soon)" for number in range(40)),
    "code that is quoted": "```x``` fails\n" + "\n".join(["and then we went on talking about it all evening"] * 40),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_a_person_writes_is_no_paste(kind: str) -> None:
    assert pastes(WRITTEN[kind], LINES, CHARS) == ()
