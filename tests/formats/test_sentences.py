"""Where a sentence ends: not behind an abbreviation, an initial, a number, or inside a quotation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.formats.paste import pastes
from mdmem.formats.sentences import Splitter
from mdmem.settings.tables import Settings

# `‖` stands where a sentence ends and another begins
CASES = """
Mia's school is St. Brigid's on Harbour Road.‖She walks there.
Our landlord is Mr. Okonjo.‖He lives on the third floor.
Grandpa has been reading J.K. Rowling since May.
I borrowed two novels by George R. R. Martin.‖They are heavy.
Ask Dr. Petrova about the X-ray.‖She is in on Mondays.
Mrs. Dalloway said she would buy the flowers herself.
Prof. Lindqvist and Ms. Ortega both signed it.
The train leaves at 23:40.‖Don't be late!
We upgraded to v2.1.3.‖Everything still works.
It weighs 3.5 kg.‖The limit is 8.
Bring something warm, e.g. a fleece.‖It gets cold.
He means the old bridge, i.e. the one by the mill.
My sister moved to the U.S. in 2017.‖She likes it.
My sister moved to the U.S.‖She likes it.
The U.S. Embassy is closed on Friday.
Call me at 7 a.m.‖I'll be up.
Call me at 7 a.m. on Sunday.
The shop opens at 9 a.m. Monday to Friday.
Well... maybe next year.
Wait...‖The door is open.
She hesitated … and then signed.
He shouted "Stop. Stop it now." and ran.‖Nobody followed.
"Why not?" she asked.‖He shrugged.
She asked "Why not?"‖He shrugged.
She said, "I'm leaving."‖Then she left.
"Are we there yet?"‖"No."
Tom (who is 4. or maybe 5.) can already swim.
We saw it all (twice!) and went home.
They live at 14 Rue St. Denis.‖The flat is small.
Meet me at Baker St.‖The café is next door.
Acme Inc. makes anvils.
She works for Acme Inc.‖It's in Ohio.
Martin Luther King Jr. was born in Atlanta.
I need milk, eggs, bread, etc.‖The shop closes at 6.
See p. 12 and fig. 3 of the manual.‖It explains the valve.
No. 5 is my favourite.
No.‖I don't want to.
Room no. 12 is ours.
Is it Jan. 5 or Feb. 7?‖I forgot.
Open config.yaml and set port to 8080.‖Then restart.
The docs are at https://example.org/a.b?c=d.‖Read them.
Write to nora.k@example.com.‖She answers fast.
What?!‖You never told me.
Really?‖Yes!‖Good.
1. Buy paint.
a. First do this.
2) Call Ann.‖Ask her about Friday.
He got a Ph.D. in chemistry.‖Now he bakes bread.
He got his Ph.D.‖Now he bakes bread.
Pay approx. 40 euros.‖Cash only.
It is Alice vs. Bob tonight.
The temperature fell to -4.5 °C.‖We stayed in.
Version 3.‖It is the last one.
I said I.‖He said you.
Vitamin D. Pollard asked for it.
i went home. then i slept.→i went home.‖then i slept.
The total was $1,299.99.‖That's too much!
I use vim.‖Emacs is fine too.
Capt. Reyes met Lt. Cmdr. Data at Ft. Worth.
Mt. Etna is smoking again.‖We can see it.
Sgt. Pepper is Nora's favourite record.
He runs 5 km/h slower.‖Why?
`rm -rf build. Then make.` is what he typed.‖It failed.
**Important.**‖Never call before noon.
*Done.* Then we ate.→*Done.*‖Then we ate.
Tom said: "Yes."‖"No," said Ann.
She's allergic to nuts!!‖Remember that.
I'm sorry about Max.‖Losing a pet is hard.
We got there at last.‖[image: a photo of a lake]
The parcel weighs max. 3 kg.‖It came on Mon.‖Maria took it in.
Das kostet z.B. 3 Euro.‖Danke.
Oma hat am 3. Mai Geburtstag.‖Sie wird 80.
Wir wohnen in der Neuen Str. 5.‖Es ist ruhig.
M. Dupont habite à Lyon.‖Il a un chien.
Mme. Leroy est partie.
El Sr. García vive en Madrid.‖Tiene dos hijos.
La Dra. Ruiz llega mañana.
La reunión es a las 9.30.‖No faltes.
¿Vienes?‖¡Claro que sí!
Il dott. Rossi è in vacanza.
他说：“好。”然后走了。
他说：“好。我马上来。”然后走了。‖我没有等。
“你去吗？”她问。‖我点点头。
我去买菜。‖你在家等我！‖好吗？
妈妈生日是3月5日。‖爸爸是12月1日。
药是青霉素，一天3.5毫克。‖别忘了。
火车23:40开。‖记得带身份证！
他住在3.2公里外的地方……不算远。‖可以走过去。
真的吗？！‖太好了。
（他下周不来。）我们自己去。
书名是《怎么办？》，作者是车尔尼雪夫斯基。‖我看过。
她叫J.K.罗琳。‖我喜欢她的书。
用v2.1.3版。‖旧版有问题。
「明日は休みです。」と言った。‖私は帰った。
今日は雨だ。‖傘を持っていく。
이것은 책입니다.‖저것은 펜입니다.
Он живёт в Москве.‖Она в Питере.
老张说:"行!"就挂了。‖我再打过去。
Nora 下周去 U.S. 出差。‖周五回来。
第一行
第二行
我们用的是 Python 3.12。‖升级很顺利。
你好!我是小李。→你好!‖我是小李。
""".strip().split("\n")


@pytest.fixture(scope="module")
def splitter(settings: Settings) -> Splitter:
    return Splitter(settings.sentences)


@pytest.mark.parametrize("case", CASES)
def test_sentences_end_as_labelled(splitter: Splitter, case: str) -> None:
    text, _, told = case.partition("→")
    expected = (told or text).split("‖")
    joint = "" if any(char >= "⺀" for char in text) else " "
    assert list(splitter.split(text if told else text.replace("‖", joint))) == expected


@pytest.mark.parametrize("end", ["Mr.", "J.K.", "e.g.", "23:", "v2.1.", "他说：“好。"])
def test_no_sentence_is_left_without_what_it_is_about(splitter: Splitter, end: str) -> None:
    assert [case for case in CASES for one in splitter.split(case.replace("‖", " ")) if one.endswith(f" {end}")] == []


@given(st.text(alphabet="aB1.。!? ”“\"'(（)）`…\n,A.", max_size=80))
def test_splitting_loses_no_letter(settings: Settings, text: str) -> None:
    made = Splitter(settings.sentences).split(text)
    assert "".join("".join(made).split()) == "".join(text.split())
    assert all(one and one == one.strip() for one in made)


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
