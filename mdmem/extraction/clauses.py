"""Cut what the user said into clauses, and tell which of them say nothing that will be useful in a month."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from mdmem.extraction.model import Reason
from mdmem.extraction.patterns import CHINESE_TIME
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.settings.phrases import PhrasePattern, SequencePattern, any_of, source_of
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END

_BREAK = pattern(
    r"[，；。！？\n]+|[,;!?](?=\s|\Z)|(?<=[\u3400-\u9fff])[,;!?]"
    r"|:\s+(?=(?i:i|we|my|our)\b)|：(?=我)|\s[-–—]\s|——+|\.(?=\s*\Z)|(?:(?<=\w{3})|(?<=\d))\.(?=\s+[a-z])|\s\("
    r"|(?<!\w\(\d)(?<!\w\(\d{2})(?<!\w\(\d{3})(?<!\w\(\d{4})\)"  # not of «VARCHAR(255)»
)
_CONJUNCTION = pattern(
    r"\s+(?:(?:but|because|although|though|whereas|which|so that|while)\s+"
    r"|so\s+(?=(?:i|we|my|our|it|he|she|they|please)\b))",
    re.IGNORECASE,
)
_AND = pattern(r"\s+and\s+", re.IGNORECASE)
_ITEM = pattern(r"[,:](?=\s)\s*(?:(?:and|or)\s+)?|[，：]\s*(?:还有|以及|和|跟|或者)?|\s+(?:and|or)\s+", re.IGNORECASE)
_SEVERAL = pattern(r"[;；!?]|\.\s")
_SUBJECT = pattern(r"(?:i|we|my|our|you|your|he|she|it|they|his|her|its|their|there|this|that|but|so|because|please)\b"
                   r"|我|你|他|她|它|咱|但|不过|所以|因为|而|请", re.IGNORECASE)  # fmt: skip
_VERB_AND_NAME = pattern(r"\s\w*[^\W\ds]s\s+[A-Z]")
_CONTRACTIONS = ((pattern(r"\b(I)'m\b", re.IGNORECASE), r"\1 am"),
                 (pattern(r"\b(I|we|you)'ve\b", re.IGNORECASE), r"\1 have"),
                 (pattern(r"\b(we|you)'re\b", re.IGNORECASE), r"\1 are"))  # fmt: skip
_LABEL = pattern(r"\s*(?:\*\*|\[)?([^\s:：\[\]*]{1,12})(?:\*\*|\])?\s?[:：]\s*\S")
_COLON = pattern(r":(?=\s)|：")
_NO_VERB = "(?![床来身飞步夜码航诉草立])"  # behind 起: 七点起床 is no time
_NO_POINTING = pattern(  # before a number or «than», or behind a word that was quoted, they point at nothing
    r"\b(?:above|below)(?=\s\d)|\blater(?=\sthan\b)|\bover here\b|(?<=(?-i:[\ue000-\uf8ff]))这[个种一]", re.IGNORECASE
)
_DURATION = pattern(
    r"[\d一二两三四五六七八九十半几]+ ?个?(?:天|周|星期|礼拜|月|年|小时|分钟|钟头)(?:以后|之后|后)"
)  # no «from now on»
_JOINT = pattern(
    r"(?:[，,；;]|\s[-–—]\s|——)\s*(?:(?:(?:and|also|then|but)\b|另外|还有|然后|并且|而且)[,，]?\s*)*|\s+and\s+",
    re.IGNORECASE,
)
_OWN = r"(?i:remember)\s+(?=(?i:i|my|we|our)\b)"  # it has no «that», and what the user has or does behind it
_MINE = pattern(r"(?i)(?:my|our)\b")
_APPOSED = pattern(  # «My old roommate, Jan, got …»: a name between the subject and its verb
    r"(?i:\A|(?<=[,;:] ))(?P<head>(?i:my|our|his|her|their|an?|the|this|one|some|some(?:body|one))\b[^,;:.!?]{1,40}),"
    r" (?P<name>(?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)?), (?!(?:and|or|but)\b)(?=[a-z])"
)
_CHINESE_MINE = pattern(r"\A我们?家?的?")
_VERB_END = pattern("(?:跑|住|运行|部署|托管|监听)\\Z")  # 容器跑在…: the name of no thing
_NAME_AND_VERB = pattern(  # «Jan quit his job and …»; «Just sold the house and …» has no subject
    r"(?!\w+ly\b|(?:Just|Also|Then|Now|Soon|Today|Yesterday|Already|Never|Even|Still|We|And|But|So|Got|Have|Had|Was)\b)"
    r"[A-Z][\w'-]+ (?:just |has |have )?(?:[a-z]+ed|quit|left|sold|bought|got|took|went|found|had|is|was)\b"
)
_NO_STREET = "(?![^，。]?[路街巷厦楼园])"  # behind a verb: 更新路 is a place
_DOING = pattern("[a-z]{2,}ing")
_WORD_END = pattern(r"\s.*")
_WE = pattern(r"(?i)\b(?:i|we)\b|我|咱")
_LONGEST_TIME = 4  # words of a time: «the day before yesterday»
OWN = pattern(r"(?i)\b(?:i|we|my|our)\b|我|咱")  # words for the user
_AT_SUBJECT = r"(?:\s*[,，]\s*|\s*\Z|\s+(?=(?i:i|we|my|our|the)\b|[\w-]+['’]s\b))"
_AT_END = r"\s*\Z"
_TRIM = " \t　\"'“”‘’「」*_`~～-–—:：、"


def normal(text: str) -> str:
    """Write contractions of the first person in full."""
    text = text.replace("’", "'")
    for finder, full in _CONTRACTIONS:
        text = finder.sub(full, text)
    return text


class Clauses:
    """Knows the words of one workspace that frame a statement, or make it none."""

    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings
        self._pronouns, self._harmless = any_of(settings.pronouns), any_of(settings.harmless)
        self._private, self._remember_orders = any_of(settings.private), any_of(settings.remember_orders)
        self._remember_not, self._past = any_of(settings.remember_not), any_of(settings.past_adverbs)
        self._material, self._fiction = any_of(settings.material), any_of(settings.fiction)
        self._reports, self._no_reports = any_of(settings.reports), any_of(settings.no_reports)
        self._introductions, self._requests = any_of(settings.introductions), any_of(settings.requests)
        self._no_requests, self._articles = any_of(settings.no_requests), any_of(settings.objects)
        self._verbs, self._small_talk = any_of(settings.finite), any_of(settings.small_talk)
        self._formerly, self._doubtful = any_of(settings.formerly), any_of(settings.doubtful)
        self._one_off, self._kin = any_of(settings.one_off), any_of(settings.kin)
        self._standing, self._firm = any_of(settings.standing), any_of(settings.firm)
        self._bounds, self._takebacks = any_of(settings.bounds), any_of(settings.takebacks)
        self._permanent, self._pointing = any_of(settings.permanent), any_of(settings.pointing)
        self._hypotheses = any_of(settings.hypotheses)
        self._others, self._times = any_of(settings.others), any_of(settings.end_times)
        self._doings = any_of(settings.doings)
        self._states, self._degrees = frozenset(settings.states), frozenset(settings.degrees)
        self._back, self._altered = any_of(settings.since_back), any_of(settings.alterations)

    def split(self, sentence: str) -> Iterator[str]:
        """Return the clauses of a sentence, without what opens them."""
        since = ""
        for part in _BREAK.split(_APPOSED.sub(self._with_name, normal(sentence))):
            for clause in _CONJUNCTION.split(part):
                if opened := self.opened(clause):
                    opened, since = since + opened, ""
                    if self._since.fullmatch(opened):  # «as of today, our CI runs on Buildkite»
                        since = opened + ("" if has_chinese(opened) else " ")
                    else:
                        yield opened

    def joints(self, sentence: str) -> list[int]:
        """Return where the clauses of a sentence begin, behind what joins them."""
        return [0, *(found.end() for found in _JOINT.finditer(sentence) if found.end() < len(sentence))]

    def points_back(self, text: str) -> bool:
        """Return whether a text has a word that stands for something named before it."""
        return self._pronouns.search(text) is not None

    def halves(self, clause: str) -> tuple[str, str] | None:
        """Return both sides of the last «and» of a clause; None without one."""
        found = list(_AND.finditer(clause))
        return (clause[: found[-1].start()], self.opened(clause[found[-1].end() :])) if found else None

    def enumerated(self, sentence: str) -> tuple[str, list[str]]:
        """Return a sentence as one clause, and what stands behind the commas and the last «and» of its list.

        A part that has a subject or a verb of its own is a clause, and the sentence no list: then nothing is returned.
        """
        said = self.opened(normal(sentence)).rstrip("。！!. ")
        if len(said) > self._settings.clause_chars or _SEVERAL.search(said):
            return "", []
        first, *parts = (part.strip() for part in _ITEM.split(said))
        is_list = bool(first) and not any(_SUBJECT.match(one) or self._verbs.search(one) for one in parts)
        return (said, parts) if is_list else ("", [])

    def _with_name(self, found: re.Match[str]) -> str:
        """Return a subject and its name without the commas around the name: «my sister Ola moved to Oslo»."""
        return found.group() if self._verbs.search(found["head"]) else f"{found['head']} {found['name']} "

    def names_other(self, clause: str, *, is_half: bool = False) -> bool:
        """Return whether the subject of a clause is somebody else; before an «and», a thing of the user too."""
        said = _CHINESE_MINE.sub("", clause)
        if self._others.match(said) or self._kin.match(said):
            is_time = len(said.split()) <= _LONGEST_TIME and self._times.search(said) is not None
            return has_chinese(said) or not is_time
        return is_half and any(found.match(clause) for found in (_MINE, _NAME_AND_VERB))

    def names_user(self, clause: str) -> bool:
        """Return whether a clause has the user as its subject."""
        return _WE.search(clause) is not None

    def is_thing(self, text: str) -> bool:
        """Return whether words may name a thing: they hold no article and no verb, as «friend hopes Lisbon» does."""
        return not any(found.search(text) for found in (self._articles, _VERB_AND_NAME, _VERB_END))

    def opened(self, clause: str) -> str:
        """Return a clause without the words that only open it."""
        said = clause.strip(_TRIM)
        while (found := self._openers.match(said)) and found.end() < len(said) and not self._since.match(said):
            said = said[found.end() :].strip(_TRIM + "，,")
        return said

    def bare(self, clause: str) -> tuple[str, bool]:
        """Return a clause without adverbs of time, and whether one of them was of the past."""
        said, adverbs = _without_adverbs(clause, self._adverb_places)
        return said, any(self._past.search(adverb) for adverb in adverbs)

    def without_now(self, clause: str) -> tuple[str, bool]:
        """Return a clause without words for the present, and whether it had one: «I now walk at eight»."""
        said, adverbs = _without_adverbs(clause, self._now_places)
        return said, bool(adverbs)

    def without_since(self, clause: str) -> tuple[str, str]:
        """Return a clause without the words that say since when it holds, and those words; empty without any."""
        found = self._since.match(clause) or self._since_within.search(clause)
        if found is None:
            return clause, ""
        left, right = clause[: found.start()].rstrip(), clause[found.end() :].lstrip(" ,，")
        gap = "" if has_chinese(left[-1:] + right[:1]) else " "
        rest = f"{left}{gap}{right}".strip()
        return (rest, found.group().strip(_TRIM + ",，")) if rest else (clause, "")

    def is_hypothetical(self, sentence: str) -> bool:
        """Return whether a sentence begins with a condition: «if we drop the rule about main, the build breaks»."""
        return self._hypotheses.match(self.opened(sentence)) is not None

    def is_altered(self, sentence: str) -> bool:
        """Return whether a sentence tells of a change."""
        return self._altered.search(sentence) is not None

    def is_relative(self, since: str) -> bool:
        """Return whether words that say since when something holds count back from today."""
        return self._back.search(since) is not None

    def is_transcript(self, text: str) -> bool:
        """Return whether the lines of a turn begin with the names of several speakers."""
        labels = [found.group(1) for line in LINE_END.split(text) if (found := _LABEL.match(line))]
        return len(labels) > self._settings.speakers and len(set(labels)) >= self._settings.speakers

    def frame(self, sentence: str) -> Reason | None:
        """Return why what follows a sentence is not what the user says of themselves, if it is not.

        It asks for something to be done with a text, it begins a story, or somebody else speaks behind its colon.
        """
        if kept := self.to_keep(sentence):
            return self.frame(kept)
        said = self.opened(sentence)
        if self.is_request(said) and any(found.search(said) for found in (self._material, self._compositions)):
            return "request"
        if self._fiction.match(said):
            return "doubtful"
        colon = _COLON.search(said)
        if colon is None or self.is_standing(head := said[: colon.start()]):
            return None
        if self.is_request(head) or self._introductions.search(head):
            return "request"
        return "doubtful" if self._is_reported(head) else None

    def to_keep(self, sentence: str) -> str:
        """Return what a sentence asks to remember: «remember that I park on level 3»; empty if it does not ask."""
        said = normal(sentence).strip(_TRIM)
        found = self._remember.match(said)
        rest = said[found.end() :].strip(_TRIM + "，,") if found else ""
        is_bare = found is not None and found.group().strip().casefold().endswith("remember")
        if self._remember_not.match(rest) or (is_bare and _MINE.match(rest) and not self._verbs.search(rest)):
            return ""  # «remember my green tea» names a thing, and says nothing of it
        return rest

    def is_order(self, kept: str) -> bool:
        """Return whether what is to be remembered begins as an order."""
        return self._remember_orders.match(kept) is not None or self.is_request(kept)

    def gate(self, clause: str) -> Reason | None:
        """Return why a clause says nothing to be remembered, if its beginning tells so."""
        if self._small_talk.match(clause):
            return "small-talk"
        if self.is_request(clause):
            return "request"
        return "doubtful" if self._formerly.search(clause) else None

    def is_request(self, clause: str) -> bool:
        """Return whether a clause begins as a request that is done once; «Book club is …» begins with a name."""
        begins = self._requests.match(clause) is not None
        return begins and not any(found.match(clause) for found in (self._no_requests, self._named))

    def may_order(self, clause: str) -> bool:
        """Return whether a clause behind a request may belong to it: 端口改成 8080 does not say that it is done."""
        return has_chinese(clause) and "了" not in clause and OWN.search(clause) is None

    def is_doubtful(self, sentence: str, *, may_intend: bool = False) -> bool:
        """Return whether a sentence is uncertain, conditional, or somebody else's word.

        With `may_intend` it may say what the user intends: «I want to move to Ghent.»
        """
        said = self.opened(sentence)
        doubts = {found.group().casefold() for found in self._doubtful.finditer(said)}
        if may_intend:
            doubts -= set(self._settings.intended)
        return bool(doubts) or self._fiction.search(said) is not None or self._is_reported(said)

    def _is_reported(self, sentence: str) -> bool:
        return self._reports.search(self._no_reports.sub(" ", sentence)) is not None

    def is_one_off(self, text: str, *, is_update: bool = False, is_timed: bool = False) -> bool:
        """Return whether a text is bound to the moment; something may change for good on a day, or happen on it."""
        found = {match.group().casefold() for match in self._one_off.finditer(_NO_POINTING.sub(" ", text))}
        may = (self._settings.updates_on if is_update else ()), (self._settings.events_on if is_timed else ())
        return bool(found.difference(*may))

    def without_reasons(self, text: str) -> str:
        """Return a text without what gives a reason in it: «we use SQLite, because we must not depend on a server»."""
        return self._reasons.sub(" ", text)

    def owned(self, clause: str) -> str:
        """Return a clause with the owner of the relative that it begins with: 女儿每周三有游泳课."""
        return f"我{clause}" if self._kin.match(clause) else clause

    def is_standing(self, text: str) -> bool:
        """Return whether an order holds beyond the task at hand."""
        said = _DURATION.sub(" ", text)
        if not self._standing.search(said) or self.is_one_off(text):
            return False
        is_bound = self._bounds.search(said) is not None or self._agreed.match(said) is not None
        return not is_bound or self._firm.search(said) is not None

    def takes_back(self, sentence: str) -> bool:
        """Return whether a sentence takes back what was said before it."""
        said = normal(sentence).strip(_TRIM)
        return any(self._takebacks.match(one) for one in (said, self.opened(said)))

    def is_permanent(self, text: str) -> bool:
        """Return whether a rule says that it holds for ever."""
        return self._permanent.search(text) is not None

    def points(self, value: str) -> bool:
        """Return whether a value only points at something."""
        return self._pointing.match(value) is not None

    def is_state(self, value: str) -> bool:
        """Return whether a value says how a thing is at the moment, and not what it is: «dead», «almost full»."""
        said = value.strip(_TRIM + ".。!！").casefold()
        first, _, rest = said.partition(" ")
        said = rest if first in self._degrees else said
        return said in self._states or self._state_times.sub("", said) in self._states

    def is_doing(self, value: str, name: str) -> bool:
        """Return whether a value says what a thing does, «hiring», where its property is not what somebody does."""
        if has_chinese(value):
            return self._chinese_acts.match(value) is not None
        first = _WORD_END.sub("", value)
        is_act = _DOING.fullmatch(first) is not None and first not in self._settings.no_doings
        return is_act and self._doings.search(name.replace("_", " ")) is None

    def is_private(self, text: str) -> bool:
        """Return whether a statement is about what is never extracted: secrets, identity papers, money."""
        return self._private.search(self._harmless.sub(" ", text.replace("_", " "))) is not None

    @cached_property
    def _openers(self) -> PhrasePattern:
        return PhrasePattern(self._settings.openers, r"(?:{0})\s*[,，:：、]?\s*".format)

    @cached_property
    def _remember(self) -> PhrasePattern:
        own, openers = self._settings.remember, self._settings.openers
        lead = source_of(word for word in openers if word not in own)
        source = rf"(?:(?:{lead})\s*[,，:：、]?\s*)*(?:{source_of(own)}|{_OWN})"
        return PhrasePattern((*own, "remember"), lambda _: source)

    @cached_property
    def _adverb_places(self) -> tuple[PhrasePattern, ...]:
        return _places((*self._settings.adverbs, *self._settings.past_adverbs))

    @cached_property
    def _now_places(self) -> tuple[PhrasePattern, ...]:
        return _places(self._settings.nows)

    @cached_property
    def _since(self) -> PhrasePattern:
        """Matches a time at the beginning since when something holds."""
        return PhrasePattern(self._since_words, lambda _: f"(?:{self._since_source(_AT_SUBJECT)})")

    @cached_property
    def _since_within(self) -> PhrasePattern:
        """Matches the same behind a statement, or in it: «is Nordwind since April», 供货商四月起是恒达."""
        return PhrasePattern(self._since_words, lambda _: rf"(?<=\S)(?:{self._since_source(_AT_END)})")

    @property
    def _since_words(self) -> tuple[str, ...]:
        return (*self._settings.since, *self._settings.since_ends)

    def _since_source(self, end: str) -> str:
        words = source_of(self._settings.since)
        times = source_of((*self._settings.end_times, *self._settings.since_times))
        latin = rf"\s*(?:{words})\s+(?=[^,，]{{0,24}}?(?:{times}|\d))"
        latin += r"(?:[^\s,，]+\s+){0,2}?[^\s,，]+?(?:\s+on(?:wards?)?)?"
        ends = source_of(self._settings.since_ends)
        chinese = rf"(?:(?:{words})\s*)?(?:{CHINESE_TIME}|现在|今天)(?:{ends}){_NO_VERB}[，,]?"
        return rf"{latin}{end}|{chinese}|\A(?:{ends})[，,]?(?=我)"

    @cached_property
    def _state_times(self) -> PhrasePattern:
        """Matches when a thing is in a state: «closed on Sundays», «filthy again»."""
        times = (*(word + end for word in self._settings.end_times for end in ("", "s")), *self._settings.degrees)
        source = r"\s+(?:(?:(?:on|in|at|until|till|since|for|from|after|every|all|the)\s+){{0,2}}(?:{0})(?:\s.*)?)\Z"
        return PhrasePattern(times, source.format)

    @cached_property
    def _chinese_acts(self) -> PhrasePattern:
        """Matches what a thing does or is to do, and when: 招人, 周五要来, 周日关门."""
        soon = rf"{CHINESE_TIME}[也又就都]?(?:要|会|得|来|走)"
        whole = rf"(?:{soon}|(?:{CHINESE_TIME})?[也又就都]?在?(?:{source_of(self._settings.acts)}){_NO_STREET})"
        return PhrasePattern((*self._settings.acts, "要", "会", "得", "来", "走"), lambda _: whole)

    @cached_property
    def _compositions(self) -> PhrasePattern:
        return SequencePattern(self._settings.compositions)

    @cached_property
    def _named(self) -> PhrasePattern:
        """Matches a name of up to four words, and its verb."""

        def source(finite: str) -> str:
            return rf"[\w'-]+(?: (?!(?:{source_of(self._settings.objects)}) )[\w'-]+){{0,3}} (?:{finite})"

        return PhrasePattern(self._settings.finite, source)

    @cached_property
    def _reasons(self) -> PhrasePattern:
        return PhrasePattern(self._settings.reasons, r"(?:{0})[^，,;；。]*".format)

    @cached_property
    def _agreed(self) -> PhrasePattern:
        return PhrasePattern(self._settings.agreed, r"\s*(?:{0})\s*[,，.。!！;；:：—–-]".format)


def _places(words: tuple[str, ...]) -> tuple[PhrasePattern, ...]:
    """Return what matches words where adverbs stand: first, last, and behind a subject."""
    subjects = (
        r"\A(?:我们家|我们|我家|我|咱们"
        r"|(?i:(?:i|we|it) (?:am|have|are|do)|i|we|my \w+ is|our \w+ is|(?:my|our) \w+(?: \w+)?))\s*"
        r"(?P<adverb>(?:{0})\s*)"
    )
    return (
        PhrasePattern(words, r"\A(?P<adverb>(?:(?:{0})\s*[,，]?\s*)+)(?=\S)".format),
        PhrasePattern(words, r"(?P<adverb>\s+(?:{0}))\s*\Z".format),
        PhrasePattern(words, subjects.format),
    )


def _without_adverbs(clause: str, places: tuple[PhrasePattern, ...]) -> tuple[str, list[str]]:
    """Return a clause without the adverbs at some places, and those adverbs."""
    said, adverbs = clause, list[str]()
    for _ in range(3):
        before = said
        for place in places:
            if found := place.search(said):
                adverbs.append(found.group())
                left, right = said[: found.start("adverb")], said[found.end("adverb") :]
                gap = "" if has_chinese(left[-1:]) and has_chinese(right[:1]) else " "
                said = f"{left.rstrip()}{gap}{right.lstrip()}".strip(_TRIM + ",，")
        if said == before:
            break
    return said, adverbs


@lru_cache(maxsize=4)
def clauses(settings: ExtractSettings) -> Clauses:
    """Return the compiled words of some settings."""
    return Clauses(settings)
