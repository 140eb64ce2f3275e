"""Finds orders to a model («ignore all previous instructions»), in nine languages, and marks that name the speaker.

Each row of the table has needles, which are searched in the lower-cased text, and a pattern that must match there. The
text before the match decides whether it is an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mdmem.linter.views.decoded_views import DecodedView, Needles
from mdmem.text.pattern import Pattern, pattern


class InjectionPattern(NamedTuple):
    """One form of order: its kind, the needles, and the pattern that is tried where they occur."""

    kind: str
    needles: tuple[str, ...]
    regex: Pattern
    objects: tuple[str, ...]  # every such order contains one of these; searched before a costly pattern is compiled


def _row(kind: str, needles: str, regex: str, objects: str = "") -> InjectionPattern:
    return InjectionPattern(
        kind, tuple(needles.split("|")), pattern(regex, re.IGNORECASE | re.VERBOSE), tuple(objects.split("|"))
    )


# In English «previous», «your» or «system» show that instructions are the model's; otherwise they are a manual's.
_ANY = r"(?:all|any|every|each|of|the|these|those|that|my|our|and|or|other|existing|current|original|initial|default)"
_OLD = r"(?:previous|previously|prior|preceding|earlier|above|foregoing|former|past|your|given|safety|developer)"
_WHAT = (
    r"(?:instruction|prompt|directive|direction|command|guideline|rule|order|programming|training|constraint"
    r"|restriction|context|conversation|message|polic)"
)
_DEED = (  # what a text asks of a model that reads it
    r"(?:please\s|you\smust\s|must\s|should\s)?(?:send|ignore|print|append|output|reveal|e-?mail|delete|forward|upload|insert|reply|say"
    r"|add\sthe\s(?:text|content))\b"
)
_SOMEONE = r"(?:[\w-]{1,20}\s){0,3}"

_ENGLISH = (
    _row("override", "ignor|disregard|forget|bypass", rf"""
        (?:ignor(?:e|ing)|disregard(?:ing)?|forget|bypass)\s(?:{_ANY}\s){{0,4}}
        (?!your\sown\smessages?\b)(?:{_OLD}\s(?:(?:{_OLD}|{_ANY})\s){{0,3}}(?:\w{{1,20}}\s)?{_WHAT}s?
         |system\s(?:\w{{1,20}}\s)?(?:prompt|instruction|directive)s?
         |(?<=all\s)(?:of\s)?(?:the\s)?(?:instruction|prompt|directive)s?+
           (?!\s(?:in|from|inside|within|embedded|found|contained|that|which|hidden)\b)
         |(?:all|everything|anything|whatever)?\s?(?:of\s)?(?:the\s)?above(?=\sand\s(?:\w+\s)?
           (?:do|say|output|print|write|reply|respond|tell|instead|follow|execute|run|send)\b)
         |{_WHAT}s?\s(?:that\s)?you\s(?:were|have\sbeen)\s(?:given|told|taught)
         |(?:everything|anything|whatever)\s(?:above|before\sthis|you\s(?:were|have\sbeen)\stold))"""),
    _row("override", "not obey|not follow|n't obey|n't follow|stop obey|stop follow|longer obey|longer follow", r"""
        (?:not|n't|stop|longer)\s(?:obey|follow)(?:ing)?\s(?:(?:any|all|of|the|more)\s){0,3}
        (?:your\s(?:(?:system|safety|original|previous|initial|own)\s)?(?:prompt|instruction|guideline|directive|rule)s?
         |(?:the\s)?(?:system|developer)(?:'s|’s)?\s(?:prompt|instruction|message|directive|rule|guideline)s?)\b"""),
    _row("override", "pretend", r"""
        pretend\s(?:that\s)?(?:your|the\ssystem|the\ssafety)\s(?:\w{1,20}\s)?
        (?:prompt|instruction|guideline|rule|restriction|polic)\w{0,3}\s(?:do(?:es)?\snot|don't|doesn't|never)\s(?:exist|apply)"""),
    _row("override", "instructions|rules|guidelines|restrictions", r"""
        (?:instructions|rules|guidelines|restrictions)\s(?:(?:above|before\sthis|you\swere\sgiven|so\sfar)\s)?
        (?:do\sno\slonger|no\slonger|do\snot|don't)\s(?:apply\sto|hold\sfor|bind)\syou\b""",
        "apply|hold|bind"),
    _row("override", "forget|ignor|disregard", r"""
        (?:forget|ignor(?:e|ing)|disregard(?:ing)?)\s(?:all\s|everything\s)?(?:what|that)\syou\s(?:were|have\sbeen)\s
        (?:told|given|taught|instructed)\b""",
        "told|given|taught|instructed"),
    _row("override", "ignor|bypass", r"""
        (?:ignore|bypass)\s(?:your\s(?:operator|developer|creator)s?\b
         |(?:all|any|every|your)\s(?:of\s)?(?:the\s|your\s)?(?:content|usage|moderation|safety)\s(?:polic\w{1,3}|filters?|restrictions?|checks?)\b)""",
        "operator|developer|creator|polic|filter|restriction|check"),
    _row("override", "instructions are|directions are|directives are|prompts are", r"""
        (?:instructions|directions|directives|prompts)\sare\s(?:now\s|all\s|hereby\s)?(?:null\sand\s)?
        (?:void|cancel+ed|revoked|suspended)\s?[;,.:]\s(?:only\s|instead\s)?(?:obey|follow|comply|execute|do)\b""",
        "void|revoked|suspended|cancel"),
    _row("override", "treat ", r"""
        treat\s(?:the\s(?:following|rest|text\s\w{1,12})|this|what\sfollows|everything\sbelow)\sas\s(?:your|the)\s
        (?:(?:new|real|true|actual)\s){0,2}(?:system\s(?:message|prompt)|developer\smessage|instructions)\b""",
        "message|prompt|instructions"),
    _row("override", "new instruction|new directive", r"""
        new\s(?:instruction|directive)s?\sfor\s(?:the\s|all\s|any\s)?(?:ai\s)?(?:assistant|ai|model|agent|llm|bot|chatbot)s?\s?:"""),
    _row("override", "system override|admin override", r"""
        (?:system|admin)\soverride\s?[:!]"""),
    _row("override", "user has|user already", r"""
        user\s(?:has\s|had\s)?(?:already\s)?(?:approved|agreed|consented|authori[sz]ed|allowed|confirmed|granted)\b[^.\n]{0,60}?
        (?:(?:never|don't|do\snot|no\sneed\sto|need\snot)\s(?:ask|confirm)|without\s(?:asking|confirmation))\b""",
        "ask|confirm"),
    _row("override", "pretend|assume|act as if", r"""
        (?:pretend|assume|act\sas\sif)\s(?:that\s)?the\suser\s(?:has\s|had\s)?(?:already\s)?
        (?:approved|agreed|consented|authori[sz]ed|allowed|confirmed)\b""",
        "approved|agreed|consented|authori|allowed|confirmed"),
    _row("new role", "from now on", r"""
        from\snow\son,?\syou\sare\s(?:dan\b|an?\s(?:\w{1,16}\s){0,2}?(?:unrestricted|unfiltered|uncensored)\b
         |free\s(?:of|from)\s|(?:not|no\slonger)\sbound\b)"""),
    _row("new role", "act as an|pretend", r"""
        (?:act\sas|pretend\sto\sbe)\san\s(?:unrestricted|unfiltered|uncensored|unaligned|amoral)\s"""),
    _row("address", "ai assistant|ai agent|language model|llm", rf"""
        (?:ai\s(?:assistant|agent)|language\smodel|llm)s?\s(?:(?:that|who)\s(?:(?:is|are)\s)?)?
        (?:reading|reads?|parsing|processing|summari[sz]ing)\sthis\b[^\n]{{0,20}}?[:,]?\s{_DEED}""",
        "read|parsing|processing|summari"),
    _row("address", "if you are a", rf"""
        if\syou\sare\san?\s(?:ai|llm|(?:large\s)?language\smodel|ai\s(?:assistant|agent|model)|chatbot|bot)\b[^\n.,]{{0,20}}?,\s{_DEED}""",
        "ai|llm|language|bot"),
    _row("address", "you read this", rf"""
        you\sread\sthis\s(?:memory|note|file|line|entry|message)\b[^\n.,]{{0,10}}?,\s(?:first\s|always\s)?(?:{_DEED}|(?:run|execute|open|fetch|download)\b)"""),
    _row("address", "must execute|must obey|must comply", r"""
        must\s(?:execute|obey|comply)\b[^\n.]{0,60}?(?:without\s(?:asking|confirmation|telling|question)|silently|secretly)""",
        "without|silently|secretly"),
    _row("override", "disregard", r"""
        disregard\s(?:all\s)?(?:of\s)?the\sabove(?!\s(?:warning|note|message|error|hint|step|section|example|if))"""),
    _row("override", "overrid", rf"""
        overrid(?:e|ing)\s(?:{_ANY}\s){{0,3}}(?:your|system|safety|developer)\s(?:\w{{1,20}}\s)?{_WHAT}
        (?!(?:s|\(s\))?\s(?:(?:mode|flag|option|setting|parameter|field)s?\b|in\s(?:the\s|your\s)?(?:settings|config)|sent\sto|before\sthe\srun|(?:for\s(?:this|each|a)|per)\s(?:step|call|run|request))\b)"""),
    _row("new role", "re now ", rf"""
        re\snow\s
        (?:dan\b|in\s(?:developer|debug|god|jailbreak|unrestricted|dan)\smode|unrestricted|jailbroken|free\s(?:from|of)
         |no\slonger\s(?:bound|restricted|an?\s(?:ai|assistant))
         |(?:an?|the|my)\s{_SOMEONE}(?:assistant|ai|agent|chatbot|bot|language\smodel|llm|persona|hacker|pirate)\b)"""),
    _row("secrecy", " user| human", r"""
        (?:(?<=\sthe)|(?<=\syour))\s(?:user|human)s?\b(?!\s(?:(?:what|how|which|where|when)\s)?to\s)"""),
    _row("prompt leak", "prompt|instructions", r"(?:prompt|instructions)\b"),
)  # fmt: skip

_CHINESE = (
    _row("override", "忽略|无视|無視|忽視|忘记|忘記|忘掉|抛开|理会|遵守|绕过|繞過", r"""
        (?:忽略|无视|無視|忽視|忘记|忘記|忘掉|抛开|(?<=不要)理会|(?<=不用)理会|(?<=不再)遵守|(?<=不要)遵守|(?<=停止)遵守|绕过|繞過)
        (?:掉|了)?\s?(?:(?:你|您|的|这些|那些|其他|给你|收到|给出|過去|过去)\s?){0,4}
        (?:(?:之前|以前|先前|此前|前面|上面|以上|上述|上文|系统|系統|安全|原有|原来|原本|既有|你的|您的|一切|所有|全部|任何)\s?){1,3}
        (?:(?:你|您|的|了|所有|全部|一切|任何|给|收到|给出|系统|安全|内置|对话|中|里|过|有|和|与|或|及|、|开发者)\s?){0,8}
        (?:指令|指示|命令|提示词|提示詞|提示语|系统提示|系統提示|人设|约束|prompt|instruction|(?<=安全)(?:规则|限制|准则)|(?<=[前上述文来你]的)(?:设定|設定))""",
        "指令|指示|命令|提示词|提示詞|提示语|系统提示|系統提示|人设|约束|prompt|truction|安全规则|安全限制|安全准则|的设定|的設定"),
    _row("override", "不用|不必|不再|不要|停止|无需", r"""
        (?:不用|不必|不再|不要|停止|无需)再?(?:遵守|服从|听从|理会)
        (?:(?:你|您|系统|开发者|之前|原来|任何)的?){0,3}(?:系统提示词?|系统(?:指令|规则)|安全(?:规则|限制|准则|规定)|开发者的?(?:指令|消息|规定|规则|要求|限制))""",
        "系统提示|系统指令|系统规则|安全规则|安全限制|安全准则|安全规定|开发者"),
    _row("override", "你的|你之前的|你原来的|你以前的|您的|您之前的", r"""
        [你您](?:之前|原来|以前)?的(?:设定|人设|规则|指令|系统提示词?)(?:已经|现在)?(?:全部|都|统统|一律)?(?:失效|作废|无效)""",
        "失效|作废|无效"),
    _row("override", "把上面|把以上|把之前|把前面|将上面|将以上|将之前", r"""
        [把将](?:上面|以上|之前|前面)的?(?:所有|全部|一切)?的?(?:要求|指令|规则|指示|设定)(?:都|全部|统统)?(?:作废|忘掉|忽略掉?|无视)(?!了)""",
        "作废|忘掉|忽略|无视"),
    _row("override", "忽略|无视|忘记|忘掉", r"""
        (?:忽略|无视|忘记|忘掉)(?:掉)?(?:之前|以上|上述|前面)的?(?:所有|全部|一切)?的?(?:规则|规定|限制|对话|内容|约定|设定)?[，,]?
        (?:你现在|从现在起|现在你|改为|并?按照?(?:以下|我))""",
        "你现在|从现在起|现在你|改为|按以下|按我|按照以下|按照我"),
    _row("override", "忽略|无视|無視|忽視|忘记|忘記|忘掉|抛开|抛弃|作废|"
        "不要理会|不要遵守|不用遵守|不必遵守|别管|不用管|跳过|绕过|繞過", r"""
        (?:忽略|无视|無視|忽視|忘记|忘記|忘掉|抛开|抛弃|作废|不要理会|不要遵守|不用遵守|不必遵守|别管|不用管|跳过|绕过|繞過)(?:掉|了)?\s?(?:你|您|的|这些|那些){0,3}
        (?:(?:之前|以前|先前|此前|前面|上面|以上|上述|上文|前述|系统|系統|原有|原来|既有|一切|所有|全部|任何|给你|收到|的|这些|那些)\s?){1,5}
        (?:规则|規則|规定|規定|规矩|准则|要求|守则|条款|系统设定|约定|指引)(?=[，,。！!；;、\s]|\Z|并|然后|而|只|直接|按|，)""",
        "规则|規則|规定|規定|规矩|准则|要求|守则|条款|系统设定|约定|指引"),
    _row("override", "绕过|覆盖|解除|关闭|停用|取消|绕开", r"""
        (?:绕过|绕开|覆盖|解除|关闭|停用|取消)(?:掉|了)?(?:你的|所有的?|一切的?|全部的?|任何){1,2}(?:安全|内容)(?:准则|规则|限制|策略|政策|审查|过滤|防护)""",
        "安全准则|安全规则|安全限制|安全策略|安全政策|安全审查|安全过滤|安全防护|内容准则|内容规则|内容限制|内容策略|内容政策|内容审查|内容过滤|内容防护"),
    _row("override", "以下", r"""
        以下(?:才是|是|为)(?:真正|新|最终|唯一)的?(?:指令|指示|命令|系统提示)""",
        "才是|是真正|为真正|是新|为新|是最终|为最终|是唯一|为唯一"),
    _row("override", "系统指令|系统命令|系統指令", r"(?:系统指令|系统命令|系統指令)[：:]"),
    _row("override", "用户已|用户同意|用户授权|用户批准|主人已", r"""
        (?:用户|主人)(?:都|全部)?已?经?(?:同意|授权|批准|确认|允许)(?:了)?[^。\n]{0,20}?[，,；;]?(?:不用|不必|无需|不要|别)(?:再)?(?:问|询问|确认|请示)""",
        "不用|不必|无需|不要|别"),
    _row("override", "假装|假设|当作|就当", r"""
        (?:假装|假设|当作|就当)(?:用户|主人)(?:都|全部)?已?经?(?:同意|授权|批准|确认|允许)""",
        "用户|主人"),
    _row("override", "服从|听从|遵从", r"""
        (?:(?<=必须)|(?<=必须优先)|(?<=应当)|(?<=应当优先)|(?<=只)|(?<=只能)|(?<=优先))(?:服从|听从|遵从)(?:本|这个|此|这份|这条)(?:文件|文档|条|段|消息|指令|备注)""",
        "本|这|此"),
    _row("new role", "进入|处于|切换到", r"""
        (?:(?<=你现在)|(?<=现在)|(?<=你已)|(?<=你已经)|(?<=从现在起))(?:进入|处于|切换到)(?:开发者|调试|越狱|管理员|无限制|上帝|DAN)模式""",
        "开发者模式|调试模式|越狱模式|管理员模式|无限制模式|上帝模式|dan模式"),
    _row("new role", "扮演", r"""
        扮演[^。\n，,]{0,8}?(?:不受(?:任何)?(?:约束|限制)|没有(?:任何)?限制|无限制)""",
        "不受|没有限制|没有任何|无限制"),
    _row("address", "读到|看到|阅读|处理", r"""
        (?:读到|看到|阅读|处理)(?:这里|此处|本文|这条|这段|本段|这份)[^。\n]{0,8}?(?:AI|人工智能|模型|助手|智能体|机器人)""",
        "到这里|到此处|到本|到这|阅读这|阅读本|阅读此|处理这|处理本|处理此"),
    _row("address", "如果你是", r"""
        如果你是(?:一个|一名)?\s?(?:AI|人工智能|大?语言模型|大模型|智能体|机器人|AI\s?助手)[，,]?\s?(?:请|就|必须|应)"""),
    _row("prompt leak", "把你的|将你的", r"""
        [把将]你的(?:系统提示词?|提示词|系统指令|初始指令|隐藏指令)[^。\n]{0,10}?(?:说出来|告诉|发|输出|贴|打印|显示|复述|背|给我)""",
        "提示|指令"),
    _row("new role", "你现在|你現在|从现在起|从现在开始|從現在起", r"""
        (?:你现在起?就?是|你現在是|从现在(?:起|开始)[，,]?你就?(?:是|将扮演|要扮演)|從現在起[，,]?你就?是)
        [^。\n，,]{0,12}?(?:助手|AI|人工智能|模型|机器人|機器人|黑客|DAN|开发者模式|管理员模式|没有(?:任何)?限制|不受(?:任何)?限制|猫娘|角色)"""),
    _row("secrecy", "告诉|告知|告訴|通知|透露给|让用户|让主人|向用户|对用户|跟用户|和用户|与用户|向主人|对主人", r"""
        (?:(?<=不要)|(?<=不得)|(?<=切勿)|(?<=请勿)|(?<=不准)|(?<=不许)|(?<=禁止)|(?<=不能)|(?<=别)|(?<=別)|(?<=勿))
        (?:(?:向|对|跟|和|与)(?:用户|主人|使用者)(?:提及|提起|提到|透露|说明|说起|讲|展示|暴露)
         |(?:告诉|告知|告訴|通知|透露给)给?(?:用户|用戶|主人|使用者|人类|操作者)|让(?:用户|主人)(?:知道|发现|察觉|看到))"""),
    _row("prompt leak", "你的", r"""
        你的(?:系统提示词?|提示词|系统指令|初始指令
        |初始提示词?|隐藏指令|隐藏提示词?)""",
        "提示|指令"),
)  # fmt: skip

_JAPANESE = (
    _row("override", "以前の|これまでの|上記の|前の|すべての|全ての", r"""
        (?:(?:以前の|これまでの|上記の|前の|すべての|全ての|システム)){1,4}(?:指示|命令|プロンプト|ルール|設定|制約)(?:を|は)?
        (?:すべて|全て)?(?:無視|忘れ)"""),
    _row("new role", "あなたは今|からあなたは", r"""
        (?:あなたは今(?:から)?、?|からあなたは)[^。\n]{0,16}(?:アシスタント|AI|モデル|ボット|エージェント|キャラクター|ハッカー)"""),
    _row("secrecy", "ユーザーに", r"""
        ユーザーに(?:は)?(?:絶対に)?(?:この|その)?(?:こと)?を?
        (?:伝えないで|言わないで|話さないで|知らせないで|教えないで|伝えるな|言うな|知らせるな)"""),
    _row("prompt leak", "システムプロンプトを", r"""
        システムプロンプトを(?:すべて|全て|そのまま)?(?:表示し
        |出力し|教えて|見せて|公開し)"""),
)  # fmt: skip

_KOREAN = (
    _row("override", "이전|지금까지|위의|모든", r"""
        (?:(?:이전의?|지금까지의?|위의|모든|시스템)\s?){1,4}(?:지시|명령|프롬프트|규칙|설정|지침)(?:\s?사항)?들?(?:을|를|은|는)?\s?
        (?:모두\s?|전부\s?)?(?:무시|잊)"""),
    _row("new role", "너는\x20이제|당신은\x20이제|넌\x20이제", r"""
        (?:너는|당신은|넌)\s이제\s?(?:부터)?[^.\n]{0,16}(?:어시스턴트|AI|모델|봇|비서|에이전트|해커)"""),
    _row("secrecy", "사용자에게", r"""
        사용자에게(?:는)?\s?(?:절대\s?)?(?:이\s?사실을\s?)?(?:말하지|알리지|알려\s?주지)\s?(?:마|말)"""),
    _row("prompt leak", "시스템\x20프롬프트", r"시스템\s프롬프트(?:를|을)\s?(?:모두\s?)?(?:출력해|보여|공개해|알려)"),
)  # fmt: skip

_EUROPEAN = (
    _row("override", "ignor|vergiss", r"""
        (?:ignorier(?:e|en|t)|vergiss)\s(?:sie\s)?
        (?:(?:alle|die|deine|ihre|sämtliche|bisherigen?|vorherigen?|vorangegangenen?|obigen?|früheren?|vorigen?|system-?)\s){1,4}
        (?:anweisung|instruktion|prompt|befehl|regel|vorgabe|richtlinie)(?<!die\sanweisung)(?<!die\sregel)(?<!die\svorgabe)"""),
    _row("new role", "du bist ", rf"""
        du\sbist\s(?:jetzt|nun|ab\ssofort)\s(?:eine?\s)?{_SOMEONE}(?:assistent|ki\b|agent|bot|modell|chatbot
        |hacker)"""),
    _row("secrecy", "nutzer nicht", r"""
        nutzer\snichts?\b(?=(?:\sdavon)?\s?[.!,;\n]|\Z|\sdavon|\sdarüber|,\sdass)(?<!\bder\snutzer\snicht)"""),
    _row("override", "ignor|oubli", r"""
        (?:ignore[zr]?|oublie[zr]?)\s(?:(?:toutes|tous|les|tes|vos|mes|des|précédentes|précédents|anciennes)\s){1,4}
        (?:instructions|consignes|directives|règles|ordres|messages)
        (?:(?<=précédentes\sinstructions)|(?<=précédentes\sconsignes)|(?<=précédentes\sdirectives)
         |\s(?:\w{1,6}\s)?(?:précédent|antérieur|ci-dessus|données|système))"""),
    _row("new role", "es maintenant|es désormais", rf"""
        (?:(?<=tu\s)|(?<=vous\sêt))es\s(?:maintenant|désormais)\s(?:une?\s)?{_SOMEONE}(?:assistant|ia\b|agent|bot|modèle
        |chatbot|pirate)"""),
    _row("secrecy", "utilisateur", r"(?:(?<=pas\sà\sl['’])|(?<=rien\sà\sl['’])|(?<=pas\sl['’]))utilisateur"),
    _row("override", "ignor|olvid", r"""
        (?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar|en))\s(?:(?:todas|todos|las|los|tus|sus|mis|anteriores|previas|previos)\s){1,4}
        (?:instrucciones|indicaciones|directrices|reglas|órdenes|mensajes)
        (?:(?<=anteriores\sinstrucciones)|(?<=previas\sinstrucciones)|\s(?:anterior|previ|del\ssistema|dadas|de\sarriba|que\ste))"""),
    _row("new role", "ahora eres", rf"""
        ahora\seres\s(?:una?\s)?{_SOMEONE}(?:asistente|ia\b|agente|bot|modelo|chatbot|hacker)"""),
    _row("secrecy", "al usuario", r"""
        (?:(?<=digas\s)|(?<=digas\snada\s)|(?<=digas\sesto\s)|(?<=informes\s)|(?<=diga\snada\s)|(?<=cuentes\snada\s))al\susuario"""),
)  # fmt: skip

INJECTION_PATTERNS = (*_ENGLISH, *_CHINESE, *_JAPANESE, *_KOREAN, *_EUROPEAN)


_BEFORE = 48  # characters before an order in which its verb or negation is searched
# «print your hidden» before «prompt»; «输出» before «你的系统提示词»
_LEAK = pattern(
    r"(?:\b(?:reveal|print|show|output|repeat|display|leak|expose|recite|dump|send|tell|give)\s(?:me\s)?(?:all\s(?:of\s)?)?"
    r"your\s(?:\w{1,12}\s)?(?:system|hidden|initial|secret|original)\s"
    r"|(?:输出|显示|泄露|透露|公开|打印|重复|复述|告诉我|展示|发送|说出)(?:一下|出)?)\Z",
    re.IGNORECASE,
)
_NO = pattern(  # «do not tell» before «the user»; in other languages the pattern itself contains it
    r"(?:not|n't|never|without|cannot)\s(?:ever\s)?(?:tell|telling|inform|informing|notify|alert|let"
    r"|(?:mention|reveal|disclose|report)(?:ing)?\s(?:this|that|it)(?:\s\w{1,12}){0,2}\sto)\s(?:the|your)\Z",
    re.IGNORECASE,
)
_LET = pattern(r"\blet\s\w+\Z", re.IGNORECASE)
_LEARNS = pattern(  # «do not let the user know»; «… re-submit» keeps nothing secret
    r"\s(?:user|human)s?\s(?:know|see|notice|find|learn|reali[sz]e|discover|suspect|read|hear|catch|become|be)\b",
    re.IGNORECASE,
)
_YOU = pattern(r"\byou(?:\sa|')\Z", re.IGNORECASE)
_DENIED = pattern(  # «never ignore …», «不要忽略…»: a rule of good conduct; «users who ignore …»: a report
    r"(?:\battempt(?:s|ed|ing)\sto\s[^.,;:!?\n]{0,40}?|\b(?:(?:tries|trying|tried)\sto|not|never|cannot|can't|don't|won't|didn't|doesn't|refuse\sto|without|avoid|nicht|nie|niemals|ne|nunca|jamais|"
    r"no|we|they|who)(?:\s\w{1,12}){0,2}\s"
    r"|(?:不要|不得|不能|不可|不会|不应|切勿|请勿|勿|禁止|拒绝|绝不|永不|避免|不许|別|别)(?:去|再|随意|擅自|试图|因此)?)\Z",
    re.IGNORECASE,
)


def find_prompt_injection(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Yield each order to the model in one view, as (kind, start, end)."""
    text, lower = view.text, view.lower
    for needle, candidates in _NEEDLES.held_by(view):
        start = lower.find(needle)
        orders = [one for one in candidates if start >= 0 and any(word in lower for word in one.objects)]
        while start >= 0 and orders:
            match = next(filter(None, (_match(text, start, one) for one in orders)), None)
            if match:
                yield match
            start = lower.find(needle, match[2] if match else start + len(needle))


def _match(text: str, start: int, injection: InjectionPattern) -> tuple[str, int, int] | None:
    match = injection.regex.match(text, start)
    begin = _begin(text, injection.kind, start) if match else None
    return (injection.kind, begin, match.end()) if match and begin is not None else None


def _begin(text: str, kind: str, start: int) -> int | None:
    """Return where the order begins, by the text before it; None if it is not an order."""
    before = text[max(0, start - _BEFORE) : start]
    verb: re.Match[str] | None
    if kind == "prompt leak" and text[start] in "pPiI你":
        verb = _LEAK.search(before)
        return start - len(before) + verb.start() if verb and not _DENIED.search(before[: verb.start()]) else None
    if kind == "secrecy" or text[start : start + 2].lower() == "re":
        verb = (_NO if kind == "secrecy" else _YOU).search(before) if text[start] in " rR" else None
        if verb and kind == "secrecy" and _LET.search(before) and not _LEARNS.match(text, start):
            return None
        return start if text[start] not in " rR" else start - len(before) + verb.start() if verb else None
    is_inside_word = (
        before[-1:].isalpha() and before[-1:].isascii() and text[start].isascii() and not before.endswith(("v", "V"))
    )
    return None if is_inside_word or _DENIED.search(before) else start


def _by_needle() -> dict[str, list[InjectionPattern]]:
    by_needle: dict[str, list[InjectionPattern]] = {}
    for injection in INJECTION_PATTERNS:
        for needle in injection.needles:
            by_needle.setdefault(needle, []).append(injection)
    return by_needle


_BY_NEEDLE = _by_needle()
_NEEDLES = Needles(((needle, (needle, orders)) for needle, orders in _BY_NEEDLE.items()), inside=_BY_NEEDLE)

_ROLE = r"(?:system|assistant|user|human|developer|tool|ipython|model)"
_ANGLE = pattern(
    r"<(?:[|｜][a-z_][\w▁ -]{1,40}[|｜]>"
    r"|(?=<)<sys>>|</sys>>"
    r"|/?(?:system|system-reminder|system_prompt|system_message|系统|assistant|function_calls?|tool_calls?|tool_response|"
    r"tool_result|function_results|antml:\w{1,20}|invoke|start_of_turn|end_of_turn|bos|eos)(?:\sname=[^<>\n]{1,60})?>)",
    re.IGNORECASE,
)
_END = pattern(r"</s>(?=\s{0,3}(?:<s>|\[INST|\Z|[\r\n]))", re.IGNORECASE)
_SQUARE = pattern(r"\[/?INST\]|\[/?SYSTEM_PROMPT\]|\[TOOL_CALLS\]")
_HEADING = pattern(rf"###\s{{1,3}}(?:{_ROLE}|instruction|response)\s?:", re.IGNORECASE)
_TURN = pattern(
    r"^[ \t>]{0,8}(?:[-*+]\s{1,3})?(?P<bold>\*\*)?(?P<who>Human|Assistant)(?:\*\*)?:(?:\*\*)?[ ]"
    r"(?=\S(?P<more>\S{0,59}\s+\S)?)",
    re.MULTILINE,
)


def find_role_tags(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Yield each as kind (tag, heading, turn), start and end in one view of a text."""
    text = view.text
    if text.count("<") > text.count("<!--"):
        yield from (("tag", *match.span()) for match in _ANGLE.finditer(text))
    if "</s>" in text:
        for match in _END.finditer(text):
            line = text.rfind("\n", 0, match.start()) + 1
            # not text that is struck through
            if "<s>" not in text[max(line, match.start() - 400) : match.start()].lower():
                yield "tag", *match.span()
    if "INST]" in text or "SYSTEM_PROMPT]" in text or "[TOOL_" in text:
        yield from (("tag", *match.span()) for match in _SQUARE.finditer(text))
    if "### " in text:
        for match in _HEADING.finditer(text):
            if not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip():
                yield "heading", *match.span()
    if "Human:" in text or "Assistant:" in text:
        both = "Human:" in text and "Assistant:" in text
        for match in _TURN.finditer(text):
            # alone, a bold name is the label of a form, `**Human:** Mia Chen`, and one word says too little
            if both or (match["more"] and not match["bold"]):
                yield "turn", *match.span("who")
