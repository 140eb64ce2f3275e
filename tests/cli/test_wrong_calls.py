"""What people type who know git, ruff, obsidian or basic-memory: each call is told what helps in its case."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from verbs import commands, paths

from mdmem.cli.grammar.verbs import GITS, OPTIONS, VERBS, VERBS_OF_NOUNS
from mdmem.cli.usage import habitual
from mdmem.messages.catalog import label, table
from mdmem.messages.folders import languages
from mdmem.workspace import Workspace

from .conftest import Run

# the words | the exit code | what the error or its hint says
CALLS = """
    edit memory                   |  2 | quote a text with spaces: `mdmem edit memory Friday 'next Monday'`
    edit memory one               |  2 | as in `mdmem edit memory one NEW`; quote a text with spaces
    edit memory one two three     |  2 | quote a text with spaces: `mdmem edit memory Friday 'next Monday'`
    edit nofile.md a b            | 12 | check the path
    show nofile.md                | 12 | check the path
    show .                        | 10 | name a file, such as MEMORY.md
    add . milk                    | 10 | name a file, such as MEMORY.md
    show nofile                   | 12 | kinds: agent, fastmemo, memory
    config get                    |  2 | you may mean `show`
    config set lang zh            |  2 | write the setting into mdmem.toml
    config list                   |  2 | you may mean `show`
    session show                  |  2 | the call is `mdmem session show ID`; `mdmem session list` lists them
    session show nope             | 12 | `mdmem session list` lists all sessions
    session end                   | 12 | `mdmem session start TASK` begins one
    session end Moved             | 12 | to end the one that is running: `mdmem session end --response Moved`
    tool call                     |  2 | the call is `mdmem tool call NAME`
    version                       |  2 | you may mean `--version`
    mdmem version                 |  2 | there is no verb `mdmem`
    -v                            |  2 | you may mean `--version`
    --hlep                        |  2 | you may mean `--help`
    help nope                     |  2 | there is no verb `nope`
    ad memory x                   |  2 | you may mean `add`
    commit                        |  2 | `git commit` does that
    clone                         |  2 | `git clone` does that
    checkout MEMORY.md            |  2 | you may mean `restore`
    reset                         |  2 | you may mean `undo`
    revert                        |  2 | you may mean `undo`
    stash                         |  2 | `git stash` does that
    merge                         |  2 | `mdmem git setup` enters it
    blame MEMORY.md               |  2 | you may mean `why`
    history                       |  2 | you may mean `log`
    log --oneline                 |  2 | `mdmem log --help` lists them
    diff nope                     | 12 | there is no change and no file `nope`
    diff nofile.md                | 12 | `mdmem log` lists the changes
    rm memory                     |  2 | the call is `mdmem rm FILE ENTRIES…`
    rm nofile.md x                | 12 | check the path
    delete MEMORY.md              |  2 | you may mean `rm`
    remove memory x               |  2 | you may mean `rm`
    mv memory                     |  2 | the call is `mdmem mv FILE NEW`
    ls                            |  2 | you may mean `status`
    cat memory                    |  2 | you may mean `show`
    list                          |  2 | you may mean `status`
    find milk                     |  2 | you may mean `search`
    grep milk                     |  2 | you may mean `search`
    open MEMORY.md                |  2 | you may mean `show`
    write NOTE.md hello           |  2 | as in `mdmem write NOTE.md < draft.md`
    append memory hello           |  2 | you may mean `add`
    insert memory hello           |  2 | you may mean `add`
    note hello                    |  2 | you may mean `add`
    daily hello                   |  2 | you may mean `today`
    journal hello                 |  2 | you may mean `today`
    today                         |  2 | the call is `mdmem today TEXTS…`
    check                         |  2 | you may mean `lint`
    check .                       |  2 | you may mean `lint`
    format                        |  2 | you may mean `lint --fix`
    fmt                           |  2 | you may mean `lint --fix`
    lint --fix --check            |  2 | you may mean `--diff`
    lint nofile.md                |  5 | check the spelling
    lint --select E501            |  2 | `mdmem explain` lists all rules
    lint --select MM999           |  2 | `mdmem explain` lists all rules
    lint --ignore                 |  2 | `--ignore` needs a value
    lint --output-format json     |  2 | you may mean `--format`
    lint --format xml             |  2 | one of: text, json, github, sarif
    lint --statistics             |  2 | `mdmem lint --help` lists them
    lint --watch                  |  2 | `mdmem lint --help` lists them
    lint --exit-zero              |  2 | `mdmem lint --help` lists them
    rule MM301                    |  2 | you may mean `explain`
    explain nope                  |  2 | `mdmem explain` lists all rules
    explain E501                  |  2 | `mdmem explain` lists all rules
    linter                        |  2 | you may mean `lint`
    search                        |  2 | `mdmem search "brief answers"`
    search --limit x milk         |  2 | `--limit` needs a whole number, not `x`
    search --kind nope milk       |  2 | kinds: agent, fastmemo, memory
    search --since nope milk      |  2 | write it as 2026-02-13, yesterday or last week
    search --until 第三天 milk    |  2 | write it as 2026-02-13, yesterday or last week
    search --tag                  |  2 | `--tag` needs a value
    status --porcelain            |  2 | you may mean `--json`
    status -s                     |  2 | `mdmem status --help` lists them
    import                        |  2 | the call is `mdmem import PATH`
    import nofolder               | 12 | name a folder, a zip or a file
    import --from nope .          |  2 | one of: mdmem, notion, openakita, chatgpt, claude, mcp-memory, mem0, fastmemo
    export --to                   |  2 | `--to` needs a value
    tool read-note x              |  2 | verbs: list, call
    tool list --all               |  2 | `mdmem tool list --help` lists them
    mcp --port 8000               |  2 | you may mean `--http`
    serve                         |  2 | you may mean `mcp`
    server                        |  2 | you may mean `mcp`
    undo nope                     | 12 | `mdmem log` lists the changes
    undo 1                        | 12 | `mdmem log` lists the changes
    undo --hard                   |  2 | `mdmem undo --help` lists them
    restore                       |  2 | the call is `mdmem restore FILE`
    restore nofile.md             | 12 | `mdmem log` lists the files that mdmem wrote
    tick memory                   |  2 | the call is `mdmem tick FILE ENTRY`
    tick memory nope              | 12 | check the path
    untick memory x               |  2 | you may mean `tick --undo`
    done memory x                 |  2 | you may mean `tick`
    todo milk                     |  2 | you may mean `remember`
    add memory                    |  2 | give at least one text
    add memory x -s Nope          | 12 | did you mean "Notes"? sections: Notes, Important events
    add memory x --section        |  2 | `--section` needs a value
    add memory --batch nofile     |  5 | check the spelling
    add nofile x                  |  2 | put a text in quotes: `mdmem add 'nofile x'`
    add momery x                  |  2 | put a text in quotes: `mdmem add 'momery x'`
    add NOTE.txt x                | 10 | choose a name that ends in .md
    remember                      |  2 | the call is `mdmem remember TEXT`
    remember x --as nope          |  2 | one of: promise, rule, preference, event, fact
    context nope                  |  2 | the recipes are: chat, chat_v0, tool_loop, minimal, full, pet, layered
    context --budget lots         |  2 | `--budget` needs a whole number, not `lots`
    context --budget -5           |  2 | `--budget` must be at least 0, not -5
    compact nope                  | 12 | kinds: agent, fastmemo, memory
    compact nofile.md             | 12 | check the path
    watch --interval 5            |  2 | `mdmem watch --help` lists them
    init nofolder/a/b --name x    |  2 | `mdmem init --help` lists them
    init --force                  |  2 | `mdmem init --help` lists them
    forget                        |  2 | the call is `mdmem forget WHAT…`
    forget ab                     |  2 | write at least three letters, four digits or two Chinese characters
    fact set Ann                  |  2 | the call is `mdmem fact set SUBJECT PREDICATE TEXT`
    fact list --all               |  2 | `mdmem fact list --help` lists them
    pin add                       |  2 | the call is `mdmem pin add TITLE SUMMARY -t, --type TYPE -s, --source SOURCE`
    pin add Title                 |  2 | the call is `mdmem pin add TITLE SUMMARY -t, --type TYPE -s, --source SOURCE`
    pin remove nope               | 12 | check the path
    plan done                     | 12 | `mdmem plan add TEXT` adds one
    plan done 7                   | 12 | `mdmem plan add TEXT` adds one
    plan add                      |  2 | the call is `mdmem plan add TEXTS…`
    plan goto nope                | 12 | `mdmem plan add TEXT` adds one
    artifact get nope             | 12 | `mdmem artifact list` lists all
    artifact put                  |  2 | the call is `mdmem artifact put --tool TOOL`
    attach                        |  2 | the call is `mdmem attach FILES…`
    why nope                      | 12 | name it by its ^id, its key, or a piece of its text
    episode list --days many      |  2 | `--days` needs a whole number, not `many`
    night --only nope             |  2 | steps: learn, extract, dedup, corrections, decay, portrait, compile
    index nope                    |  2 | verbs: status, rebuild, check
    connect                       |  2 | the call is `mdmem connect AGENT [URL]`
    connect nope                  |  2 | one of: claude, codex, gemini, cursor, hermes
    disconnect claude             |  2 | you may mean `connect --remove`
    completion                    |  2 | the call is `mdmem completion SHELL`
    completion nushell            |  2 | one of: bash, zsh, fish, powershell
    upgrade                       |  2 | there is no verb `upgrade`
    update                        |  2 | you may mean `edit`
    --lang fr status              |  2 | one of: en, zh
    -C m status                   |  2 | you may mean `--root`
    tags                          |  2 | you may mean `search --tag`
    property                      |  2 | there is no verb `property`
    vault                         |  2 | you may mean `status`
    links                         |  2 | there is no verb `links`
    backlinks MEMORY.md           |  2 | you may mean `search`
    build-context memory          |  2 | you may mean `context`
    recent-activity               |  2 | you may mean `log`
    read-note memory              |  2 | you may mean `show`
    write-note x                  |  2 | you may mean `add`
    delete-note x                 |  2 | you may mean `rm`
    edit-note x                   |  2 | you may mean `edit`
    session shw                   |  2 | you may mean `show`
    pin lst                       |  2 | you may mean `list`
    fact get Ann                  |  2 | you may mean `show`
    inbox rm x                    |  2 | you may mean `reject`
    plan delete 1                 |  2 | you may mean `remove`
    index reindex                 |  2 | you may mean `rebuild`
    artifact show x               |  2 | you may mean `get`
    session new                   |  2 | you may mean `start`
    gc                            |  2 | you may mean `compact`
    pins                          |  2 | you may mean `pin list`
    unpin x                       |  2 | you may mean `pin remove`
    backup                        |  2 | you may mean `export`
    fetch                         |  2 | `git fetch` does that
    rebase                        |  2 | `git rebase` does that
    doctor --fix                  |  2 | `mdmem doctor --help` lists them
    init --yes                    |  2 | `mdmem init --help` lists them
    search --top 5 x              |  2 | you may mean `--limit`
    search --type memory x        |  2 | you may mean `--kind`
    lint --exclude MM1            |  2 | you may mean `--ignore`
    lint --workers 2              |  2 | you may mean `--jobs`
    status --short                |  2 | `mdmem status --help` lists them
    remember --category fact x    |  2 | you may mean `--as`
    context --max-tokens 100      |  2 | you may mean `--budget`
    export --output x             |  2 | you may mean `--to`
    night --dry                   |  2 | you may mean `--dry-run`
    compact --preview             |  2 | you may mean `--dry-run`
    completion pwsh               |  2 | one of: bash, zsh, fish, powershell
    todos                         |  2 | you may mean `show memory`
    new NOTE.md                   |  2 | you may mean `add`
    push                          |  2 | `git push` does that
    connect codx                  |  2 | you may mean `codex`
    status extra                  |  2 | `mdmem status` takes options only
    index status extra            |  2 | `mdmem index status` takes options only
    doctor MEMORY.md              |  2 | `mdmem doctor` takes options only
    --root nofolder status        |  3 | create it: `mdmem init nofolder`
    status --root nofolder        |  3 | check the spelling of --root
    lint --root 'no folder'       |  3 | create it: `mdmem init 'no folder'`
    init SOUL.md                  |  2 | `mdmem add SOUL.md TEXT` writes into the file
    init mdmem.toml --lang zh     |  2 | 是文件，不是文件夹
    tick milk                     |  2 | `milk` is a text, not a file
    tick milk --lang zh           |  2 | 没有指定文件：`milk` 是一段文字，不是文件
    rm Ann                        |  2 | the call is `mdmem rm FILE ENTRIES…`
    rm 'two words' --dry-run      |  2 | `two words` is a text, not a file
    edit milk 'oat milk'          |  2 | the call is `mdmem edit FILE OLD NEW`
    edit 牛奶 燕麦奶 --lang zh    |  2 | `mdmem edit 文件 原文 新文`
    remember x --as 诺言          |  2 | one of: promise, rule, preference, event, fact
    remember x --as promis        |  2 | you may mean `promise`
    add text -s Notes             |  2 | `mdmem add MEMORY.md text -s Notes`
    add text -s Nope              |  2 | no FILE given: `text` is a text
    add notes x                   | 12 | `mdmem add MEMORY.md -s Notes x`
    add 'Important events' x      | 12 | `mdmem add MEMORY.md -s 'Important events' x`
    add 笔记 x --lang zh          | 12 | `笔记` 不是文件，是 MEMORY.md 里的小节
    show notes                    | 12 | `mdmem show MEMORY.md`
    edit memory --new x           |  2 | takes a text of the file, and the new one
    edit memory milk              |  2 | as in `mdmem edit memory milk NEW`
    edit memory milk --lang zh    |  2 | 例如 `mdmem edit memory milk 新文`
    edit milk --new x             |  2 | no FILE given: `milk` is a text
    fact set city X               |  2 | as in `mdmem fact set user city Berlin`
    fact history city             |  2 | as in `mdmem fact history user city`
    fact history 城市 --lang zh   |  2 | 例如 `mdmem fact history 用户 城市`
    context chat 'what of milk'   |  2 | as in `mdmem context chat -q 'plans for Friday'`
    remember buy milk tomorrow    |  2 | `mdmem remember 'buy milk tomorrow'`
    remember 记得 买牛奶 --lang zh |  2 | 文字要加引号：`mdmem remember '记得 买牛奶' --lang zh`
    tick memory buy milk --undo   |  2 | `mdmem tick memory 'buy milk' --undo`
    why buy milk                  |  2 | as in `mdmem why 'buy milk'`
    MEMORY.md                     |  2 | `mdmem show MEMORY.md`
    'buy milk'                    |  2 | `mdmem remember 'buy milk'`
    明天给妈妈打电话              |  2 | `mdmem remember '明天给妈妈打电话'`
    9ad370a1                      |  2 | `mdmem diff 9ad370a1` shows a change
    添加 memory x                 |  2 | you may mean `add`
    添加记忆 x --lang zh          |  2 | 可能想写 `add`
    搜索 x                        |  2 | you may mean `search`
    删除 x                        |  2 | you may mean `rm`
    记住 x                        |  2 | you may mean `remember`
    撤销                          |  2 | you may mean `undo`
    查看                          |  2 | you may mean `show`
    列表                          |  2 | you may mean `status`
    帮助                          |  2 | you may mean `help`
    pin 添加 x                    |  2 | you may mean `add`
    Add memory x                  |  2 | you may mean `add`
    connect --project             |  2 | write it as `--project DIR`
    connect claude --project nofolder |  5 | create it: `mkdir nofolder`
    connect claude --project nofolder --lang zh |  5 | `mkdir nofolder`
    connect Claude-Kode           |  2 | you may mean `claude`
    context 'what of milk'        |  2 | `mdmem context -q 'what of milk'`
    context 明天有什么安排 --lang zh |  2 | 要按一个问题回忆：`mdmem context -q '明天有什么安排' --lang zh`
    add                           |  2 | as in `mdmem add memory 'buy milk'`
    write MEMORY.md text          |  2 | as in `mdmem write NOTE.md < draft.md`
    busy 10m                      |  2 | as in `mdmem busy --for 10m`
    export obsidian               |  2 | as in `mdmem export --to ../copy`
    night now                     |  2 | you may mean `--now`
    remember --kind fact x        |  2 | you may mean `--as`
    remember --type rule x        |  2 | you may mean `--as`
    search -k memory x            |  2 | you may mean `--kind`
    night --force                 |  2 | you may mean `--now`
    lint --unsafe-fixes           |  2 | you may mean `--fix`
    lint --extend-select MM3      |  2 | you may mean `--select`
    lint --show-fixes             |  2 | you may mean `--diff`
    lint MM301                    |  5 | `mdmem lint --select MM301`
    lint mm301 --lang zh          |  5 | `mdmem explain MM301` 解释它
    explain E501                  |  2 | `mdmem explain` lists all rules
    fact add user city Berlin     |  2 | you may mean `set`
    fact user                     |  2 | you may mean `show user`
    session latest                |  2 | you may mean `show latest`
    plan list                     |  2 | you may mean `mdmem plan`
    plan 列出                     |  2 | you may mean `mdmem plan`
    artifact add                  |  2 | you may mean `put`
    hook add                      |  2 | you may mean `install`
    cherry-pick abc               |  2 | `git cherry-pick` does that
    worktree                      |  2 | `git worktree` does that
    tasks                         |  2 | you may mean `show memory`
    daily:append x                |  2 | you may mean `today`
    daily:read                    |  2 | you may mean `today`
    search:context x              |  2 | you may mean `search`
    amend                         |  2 | you may mean `edit`
    unstage                       |  2 | you may mean `undo`
    reflog                        |  2 | you may mean `log`
    annotate MEMORY.md            |  2 | you may mean `why`
    undelete MEMORY.md            |  2 | you may mean `restore`
    verify                        |  2 | you may mean `lint`
    autofix                       |  2 | you may mean `lint --fix`
    pre-commit                    |  2 | you may mean `hook install`
    sessions                      |  2 | you may mean `session list`
    facts                         |  2 | you may mean `fact`
    approve x                     |  2 | you may mean `inbox accept`
    deny x                        |  2 | you may mean `inbox reject`
    move-note a b                 |  2 | you may mean `mv`
    view-note x                   |  2 | you may mean `show`
    read-content x                |  2 | you may mean `show`
    health                        |  2 | you may mean `doctor`
    preferences                   |  2 | you may mean `config show`
    commands                      |  2 | you may mean `help`
    claude                        |  2 | you may mean `connect`
    migrate x                     |  2 | you may mean `import`
    wipe x                        |  2 | you may mean `forget`
    LINT                          |  2 | you may mean `lint`
    整理                          |  2 | you may mean `compact`
    新建笔记 x                    |  2 | you may mean `add`
    忘记 x                        |  2 | you may mean `forget`
    为什么 x                      |  2 | you may mean `why`
    恢复 MEMORY.md                |  2 | you may mean `restore`
    inbox 接受                    |  2 | you may mean `accept`
    plan 添加 x                   |  2 | you may mean `add`
    why MEMORY.md:21              | 12 | name it by its ^id, its key, or a piece of its text
    undo memory                   | 12 | there is no change `memory`
    undo MEMORY.md --lang zh      | 12 | 没有编号为 `MEMORY.md` 的改动
    knowledge run X               |  2 | you may mean `mdmem run`
    knowledge delete x            |  2 | `mdmem mv knowledge/x.md notes/x.md`
    knowledge edit x              |  2 | `mdmem edit knowledge/x.md OLD NEW`
    knowledge 编辑 x              |  2 | `mdmem edit knowledge/x.md OLD NEW`
    knowledge 新建 x              |  2 | you may mean `add`
    knowledge 添加 x              |  2 | you may mean `add`
    session 开始 聊天             |  2 | you may mean `start`
    session 结束                  |  2 | you may mean `end`
    session 列出                  |  2 | you may mean `list`
    fact rm 1234abcd              |  2 | `mdmem rm facts/SUBJECT.md 1234abcd`
    fact delete 1234abcd          |  2 | `mdmem rm facts/SUBJECT.md 1234abcd`
    fact 删除 1234abcd --lang zh  |  2 | `mdmem rm facts/主题.md 1234abcd`
    fact edit user                |  2 | you may mean `set`
    pin edit x                    |  2 | you may mean `update`
    pin 删除 x                    |  2 | you may mean `remove`
    artifact 查看 x               |  2 | you may mean `get`
    episode rm x                  |  2 | verbs: list
    remember 蓝色 --tag 颜色      |  2 | write it into the text: `#颜色`
    add memory 蓝色 --tag 颜色 --lang zh |  2 | 写进文字里：`#颜色`
    search 咖啡 --n 3             |  2 | you may mean `-n`
    search milk -kind memory      |  2 | you may mean `--kind`
    lint -fix                     |  2 | you may mean `--fix`
    lint --修复                   |  2 | you may mean `--fix`
    search x --标签 a             |  2 | you may mean `--tag`
    status --帮助                 |  2 | you may mean `--help`
    status --语言 zh              |  2 | you may mean `--lang`
    status -root X                |  2 | you may mean `--root`
    add memory x -section Notes   |  2 | you may mean `--section`
    lint --explain MM502          |  2 | `mdmem explain MM502`
    lint explain MM208            |  5 | `mdmem explain MM208`
    lint status                   |  5 | `mdmem status`
    status ..                     |  2 | `mdmem status --root ..`
    status .. --lang zh           |  2 | `mdmem status --root ..`
    同步 x                        |  2 | you may mean `sync`
    tongbu                        |  2 | you may mean `sync`
    jizhu x                       |  2 | you may mean `remember`
    chaxun x                      |  2 | you may mean `search`
    sousuo x                      |  2 | you may mean `search`
    redo                          |  2 | you may mean `undo`
    写入 x                        |  2 | you may mean `add`
    write foo.md                  | 10 | `mdmem add foo.md TEXT`
    connect claude .              |  2 | `mdmem connect claude --project .`
    connect claude --project FASTMEMO.md |  5 | is a file, not a folder
    mv MEMORY.md:21 USER.md       |  2 | `mdmem mv` renames a file
    mv MEMORY.md:21 USER.md --lang zh |  2 | `mdmem mv` 改的是文件名
    sync                          |  9 | `git init`
    sync --lang zh                |  9 | `git init`
    hook install                  |  9 | `git init`
    artifact get                  |  2 | `mdmem artifact list` lists them
    show 6f09ae                   | 12 | `mdmem why 6f09ae`
    search --n x                  |  2 | you may mean `-n`
    add memory -name x            |  2 | put text that begins like an option after `--`
    restore 'buy milk'            | 12 | `mdmem undo` takes back the last change
    restore 买牛奶 --lang zh      | 12 | `mdmem undo` 撤销最近的一次改动
    mv MEMORY.md MEMORY.txt       | 10 | choose a name that ends in .md
    trust nobundle                | 12 | no bundles yet; `mdmem bundle install` takes
    trust nobundle --lang zh      | 12 | 还没有技能包；`mdmem bundle install`
    bundle overlay nopiece        | 12 | no bundles yet; `mdmem bundle install` takes
    session export                |  0 | there are no turns to export
    session export --lang zh      |  0 | 没有可以导出的对话
    session export --since 2026-01-01 | 0 | there are no turns to export
"""
BARE = ("inbox", "config", "session", "pin", "fact", "episode", "artifact", "plan", "index", "tool")


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new English memory folder, which no wrong call changes."""
    root = tmp_path_factory.mktemp("new")
    Workspace(root, lang="en").init()
    return root


@pytest.mark.parametrize("row", CALLS.strip().splitlines(), ids=lambda row: row.partition("|")[0].strip())
def test_a_wrong_call_is_told_what_helps(row: str, mdmem: Run, new: Path) -> None:
    call, code, told = map(str.strip, row.split("|", 2))
    done = mdmem(*shlex.split(call), cwd=new)
    error = re.sub(r"\s+", " ", done.stderr)
    assert (done.returncode, told in error) == (int(code), True), done.stderr
    assert "Traceback" not in error
    for verb, below in re.findall(r"`mdmem (\w+)(?: (\w+))?[^`]*`", error):
        assert verb in VERBS, "a hint names a verb that there is not"
        nouns = [path for path in paths() if path[0] == verb and len(path) > 1]
        assert not (nouns and below.islower()) or (verb, below) in nouns


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with memories in two files."""
    root = tmp_path_factory.mktemp("filled")
    work = Workspace(root, lang="en")
    work.init()
    work.add("MEMORY.md", ["2026-01-01: buy milk", "2026-01-01: 约了牙医", "2026-01-01: tea in spring"])
    work.add("FASTMEMO.md", ["likes tea"], section="User")
    return root


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("tick milk", "`mdmem tick MEMORY.md milk`"),
        ("rm 牙医", "`mdmem rm MEMORY.md '牙医'`"),
        ("rm 'likes tea' --dry-run", "`mdmem rm FASTMEMO.md 'likes tea' --dry-run`"),
        ("edit milk 'oat milk'", "`mdmem edit MEMORY.md milk 'oat milk'`"),
        ("--lang zh edit 牙医 体检", "`mdmem --lang zh edit MEMORY.md '牙医' '体检'`"),
        ("tick tea", "several entries match `tea`"),
        ("edit tea coffee", "the call is `mdmem edit FILE OLD NEW`"),
        ("tick MEMORY.md", "no ENTRY given"),
        ("edit MEMORY.md", "as in `mdmem edit MEMORY.md '2026-01-01: tea in spring' NEW`"),
        ("edit milk --new x", "`mdmem edit MEMORY.md milk --new x`"),
    ],
)
def test_a_call_without_its_file_is_told_whole(call: str, told: str, mdmem: Run, filled: Path) -> None:
    done = mdmem(*shlex.split(call), cwd=filled)
    assert (done.returncode, told in re.sub(r"\s+", " ", done.stderr)) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("rm MEMORY.md 21", "line 21 has the entry `{key}`: `mdmem rm MEMORY.md {key}`"),
        ("tick memory MEMORY.md:21", "`mdmem tick memory {key}`"),
        ("--lang zh rm MEMORY.md 21", "第 21 行是条目 `{key}`：`mdmem --lang zh rm MEMORY.md {key}`"),
        ("edit memory 21 coffee", "`mdmem edit memory '2026-01-01: buy milk' coffee`"),
        ("edit memory {key} coffee", "`mdmem edit memory '2026-01-01: buy milk' coffee`"),
        ("why MEMORY.md:21", "`mdmem why {key}`"),
        ("rm MEMORY.md 13", "use an entry's key (`mdmem show` lists them)"),
    ],
)
def test_an_entry_named_by_its_line_is_told_by_its_key(call: str, told: str, mdmem: Run, filled: Path) -> None:
    (first, *_) = (one for part in Workspace(filled).show("MEMORY.md").sections for one in part.entries)
    assert first.line == 21
    done = mdmem(*shlex.split(call.format(key=first.key)), cwd=filled)
    assert (done.returncode, told.format(key=first.key) in re.sub(r"\s+", " ", done.stderr)) == (12, True), done.stderr


@pytest.mark.parametrize("name", ["claude", "Claude", "CLAUDE-CODE", "Claude_Code", "gemini-cli", "OpenAI-Codex"])
def test_an_agent_is_connected_by_each_of_its_names(name: str, mdmem: Run, filled: Path) -> None:
    assert mdmem("connect", name, "--dry-run", cwd=filled).returncode == 0


def test_an_undo_names_the_way_where_the_words_are_no_change(mdmem: Run, folder: Path) -> None:
    for number in range(3):
        mdmem("add", "MEMORY.md", f"2026-01-01: number {number}", cwd=folder)
    newest = Workspace(folder).history.log()[0].id
    assert "`mdmem log MEMORY.md`" in mdmem("undo", "memory", "--lang", "en", cwd=folder).stderr
    several = mdmem("undo", newest[:4], "--lang", "en", cwd=folder)
    assert (several.returncode, "3 changes have an id like" in several.stderr) == (12, True), several.stderr
    assert "有 3 次改动的编号像" in mdmem("undo", newest[:4], "--lang", "zh", cwd=folder).stderr


@pytest.mark.parametrize(("lang", "undo"), [("en", "is taken back by"), ("zh", "可以撤销最近的改动")])
def test_restore_names_the_undo_of_a_removal(lang: str, undo: str, mdmem: Run, folder: Path) -> None:
    mdmem("rm", "MEMORY.md", "面试", "--lang", lang, cwd=folder)
    told = mdmem("restore", "MEMORY.md", "--lang", lang, cwd=folder)
    newest = Workspace(folder).history.log()[0].id
    assert (told.returncode, undo in told.stdout, f"`mdmem undo {newest}`" in told.stdout) == (1, True, True)
    assert mdmem("undo", newest, cwd=folder).returncode == 0
    assert "面试" in (folder / "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("left", ["", "# 🧠 记忆\n\n- 2026-03-01：{}\n", "a page of something else\n"])
def test_restore_brings_back_what_another_program_overwrote_or_names_the_way(
    left: str, lang: str, mdmem: Run, folder: Path
) -> None:
    mdmem("add", "MEMORY.md", "2026-02-14：买牛奶", "--lang", lang, cwd=folder)
    (folder / "MEMORY.md").write_text(left.format("很长的一条" * 9), "utf-8")
    told = mdmem("restore", "MEMORY.md", "--lang", lang, cwd=folder)
    if told.returncode:
        assert {"en": "2 entries are gone", "zh": "少了 2 条"}[lang] in told.stdout, told.stdout
        (command,) = re.findall(r"`mdmem (restore [^`]*)`", told.stdout)
        assert mdmem(*shlex.split(command), cwd=folder).returncode == 0
    assert "买牛奶" in (folder / "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_undo_of_a_rename_whose_name_is_taken_names_the_way(mdmem: Run, folder: Path, lang: str) -> None:
    mdmem("mv", "MEMORY.md", "OLD.md", "--lang", lang, cwd=folder)
    renamed = Workspace(folder).history.log()[0].id
    mdmem("add", "MEMORY.md", "2026-01-01: new", "--lang", lang, cwd=folder)
    told = mdmem("undo", renamed, "--lang", lang, cwd=folder)
    assert (told.returncode, "`mdmem mv MEMORY.md " in told.stderr) == (11, True), told.stderr
    mdmem("mv", "MEMORY.md", "NEW.md", cwd=folder)
    assert mdmem("undo", renamed, cwd=folder).returncode == 0
    assert {"MEMORY.md", "NEW.md"} <= {one.name for one in folder.iterdir()}


def test_the_name_that_matches_nothing_is_told(mdmem: Run, filled: Path) -> None:
    assert "no entry of MEMORY.md matches `juice`" in mdmem("rm", "memory", "milk", "juice", cwd=filled).stderr
    told = mdmem("rm", "memory", "milk", "juice", "--lang", "zh", cwd=filled).stderr
    assert "MEMORY.md 里找不到和 `juice` 对得上的条目" in told
    assert "milk" in (filled / "MEMORY.md").read_text("utf-8")


def test_a_number_alone_is_too_short_to_name_an_entry(mdmem: Run, filled: Path) -> None:
    assert "`1` is too short to name an entry" in mdmem("tick", "1", cwd=filled).stderr


def test_an_undo_shows_the_time_and_reason_of_changes(mdmem: Run, filled: Path) -> None:
    told = mdmem("undo", "3", cwd=filled).stderr
    assert re.search(r"· [0-9a-f]{8}  20\d\d-\d\d-\d\d \d\d:\d\d  ", told)
    assert told.count("·") <= 5


def test_a_word_with_a_dash_leaves_out_what_has_it(mdmem: Run, filled: Path) -> None:
    assert "2026-01-01: tea in spring" in mdmem("search", "tea", cwd=filled).stdout
    assert "tea in spring" not in mdmem("search", "tea", "-spring", cwd=filled).stdout
    assert "约了牙医" not in mdmem("search", "约了", "-牙医", cwd=filled).stdout


def test_the_only_item_of_the_inbox_is_rejected_without_its_key(mdmem: Run, folder: Path) -> None:
    assert "empty" in mdmem("inbox", "reject", "--lang", "en", cwd=folder).stdout
    (folder / "SOUL.md").write_text("# Soul\n\n## Identity\n\nkind and brief\n", "utf-8")
    Workspace(folder).edit("SOUL.md", "brief", "short", actor="agent:a")
    assert "SOUL.md" in mdmem("inbox", cwd=folder).stdout
    assert "1 item waits in inbox.md" in mdmem("status", "--lang", "en", cwd=folder).stdout
    assert mdmem("inbox", "reject", cwd=folder).returncode == 0
    assert "in inbox.md" not in mdmem("status", "--lang", "en", cwd=folder).stdout


def test_a_text_that_is_not_there_is_told_without_a_stray_stop(mdmem: Run, filled: Path) -> None:
    assert "was not found in MEMORY.md\n" in mdmem("edit", "memory", "zzz", "yyy", cwd=filled).stderr
    assert "MEMORY.md; line " in mdmem("edit", "memory", "buy milq", "yyy", cwd=filled).stderr


def test_a_small_budget_is_told_where_to_set_a_lasting_one(mdmem: Run, filled: Path) -> None:
    told = mdmem("context", "--budget", "1", cwd=filled).stderr
    assert "`budget = 1000` below `[recipe.default]` in mdmem.toml" in told
    (filled / "mdmem.toml").write_text('lang = "en"\n[recipe.default]\nbudget = 1000\n', "utf-8")
    assert "of 1000" in mdmem("context", "--explain", cwd=filled).stdout


@pytest.mark.parametrize("budget", [20, 30, 45, 60, 90])
def test_what_a_budget_leaves_out_is_counted_once(budget: int, mdmem: Run, folder: Path) -> None:
    work = Workspace(folder, lang="en")
    work.init()
    work.add("MEMORY.md", [f"2026-01-0{day}: the entry of day {day}" for day in range(1, 9)])
    work.add("FASTMEMO.md", ["likes tea", "reads in the evening"], section="User")
    call = ("context", "--budget", str(budget), "--lang", "en")
    said = re.findall(r"(\d+) beyond the budget", mdmem(*call, cwd=folder).stderr)
    explained = re.findall(r"(\d+) beyond the budget", mdmem(*call, "--explain", cwd=folder).stdout)
    assert explained
    assert not said or sum(map(int, said)) == sum(map(int, explained))


def test_a_fact_is_told_as_people_write_it(mdmem: Run, folder: Path) -> None:
    told = mdmem("fact", "set", "user", "city", "Berlin", "--lang", "en", cwd=folder).stdout
    assert "city: Berlin (in facts/user.md)" in told
    assert "[" not in told
    told = mdmem("fact", "set", "user", "城市", "北京", "--lang", "zh", cwd=folder).stdout
    assert "城市：北京（在 facts/user.md）" in told


@pytest.mark.parametrize("word", ["承诺", "待办", "promise", "Task", "偏好", "规则"])
def test_a_kind_is_named_in_each_language(word: str, mdmem: Run, folder: Path) -> None:
    place = {"偏好": "偏好与习惯", "规则": "FASTMEMO.md"}.get(word, "待办与承诺")
    told = mdmem("remember", "something else", "--as", word, cwd=folder)
    assert (told.returncode, place in told.stdout) == (0, True), told.stdout


@pytest.mark.parametrize(
    ("word", "code"), [("yesterday", 0), ("昨天", 0), ("last week", 0), ("tomorrow", 1), ("明天", 1)]
)
def test_a_day_is_named_by_a_phrase(word: str, code: int, mdmem: Run, folder: Path) -> None:
    Workspace(folder, lang="en").init()
    mdmem("add", "memory", "the milk is sour", cwd=folder)
    assert mdmem("search", "--since", word, "milk", cwd=folder).returncode == code


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ('lang = "en', "mdmem.toml:1: not valid TOML at column 11: the quotation mark that ends a text is missing"),
        ("lang = 'zh\n", "the quotation mark that ends a text is missing"),
        ("[lint]\nmax_lines 3\n", "mdmem.toml:2: not valid TOML at column 11: a setting is written `key = value`"),
        ("lang = en\n", "a value is a text in quotation marks"),
        ("[lint\nmax_lines = 3\n", "the bracket that ends the name of a table is missing"),
        ('lang = "en" # one\nlang = "zh"\n', "this table or setting is there twice"),
        ('lang = "en" "zh"\n', "a line holds one setting only"),
        ('[lint]\nexclude = ["a"\n', "the bracket that ends a list is missing"),
        ("max_lines = 3\n", "did you mean `lint.max_lines`?"),
        ("[zzzzzzzz]\nx = 1\n", "`mdmem config show --all` lists every one"),
        ("[lnt]\nmax_lines = 3\n", "did you mean `lint`?"),
    ],
)
def test_broken_settings_are_told_what_was_expected(toml: str, told: str, mdmem: Run, folder: Path) -> None:
    (folder / "mdmem.toml").write_text(toml, "utf-8")
    error = re.sub(r"\s+", " ", mdmem("status", "--lang", "en", cwd=folder).stderr)
    assert told in error
    assert len(error) < 300


def test_an_example_from_a_file_shows_no_secret(mdmem: Run, folder: Path) -> None:
    secret = "my password is hunter2-aTx93"
    (folder / "MEMORY.md").write_text(f"# 🧠 记忆\n\n- 2026-02-13: tea\n- 2026-02-13: {secret}\n", "utf-8")
    assert "'2026-02-13: tea'" in mdmem("edit", "MEMORY.md", cwd=folder).stderr
    assert "hunter2" not in mdmem("edit", "MEMORY.md", "4", "x", cwd=folder).stderr


def test_a_setting_that_there_is_not_is_told(mdmem: Run, new: Path) -> None:
    for lang, told in (("en", "no setting begins with `user.name`"), ("zh", "没有以 `user.name` 开头的设置")):
        assert told in mdmem("config", "user.name", "--lang", lang, cwd=new).stdout


@pytest.mark.parametrize("noun", BARE)
def test_a_noun_alone_lists_what_there_is(noun: str, mdmem: Run, new: Path) -> None:
    done = mdmem(noun, cwd=new)
    assert (done.returncode in {0, 1}, "Usage" in done.stdout) == (True, False), done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("lang", languages())
def test_each_example_of_a_call_is_one_that_mdmem_takes(lang: str, mdmem: Run, tmp_path: Path) -> None:
    for key, words in table(lang, "example").items():
        root = tmp_path / key.replace(" ", "-")
        work = Workspace(root, lang=lang)
        work.init()
        (root / "README.md").write_text("# Read me\n", "utf-8")
        (root / "notes.md").write_text("# Notes\n", "utf-8")
        work.add("MEMORY.md", {"en": "buy milk", "zh": "买牛奶"}[lang])
        work.facts.set(*shlex.split(label(lang, "example.fact set", "")))
        call = shlex.split(f"{key.partition('.')[2]} {words}")
        if "<" in call:  # what a shell reads in
            call = call[: call.index("<")]
        done = mdmem(*call, cwd=root, given="# A note\n", HOME=str(root))
        assert done.returncode == (12 if call[0] in ("undo", "import") else done.returncode & 1), done.stderr


def test_a_tool_that_there_is_not_is_told_without_arguments(mdmem: Run, new: Path) -> None:
    assert "there is no tool `nope`" in mdmem("tool", "call", "nope", cwd=new).stdout


def test_each_habit_leads_to_what_there_is() -> None:
    known = {" ".join(path) for path in paths()} | VERBS.keys()
    tables = (item for lang in languages() for item in table(lang, "habit").items())
    habits = [(word, key.partition(".")[2]) for key, words in tables for word in words.split()]
    for word, verb in habits:
        words = [one for one in verb.split() if not one.startswith("-")]
        assert word not in VERBS
        assert not words or " ".join(words) in known or words[0] in known, word
        assert habitual(word) == verb, "a word has one meaning"
    assert not GITS & {*VERBS, *(word for word, _ in habits)}
    below = {path[1] for path in paths() if len(path) > 1}
    assert {verb for verbs in VERBS_OF_NOUNS.values() for verb in verbs} <= below | {"uninstall"}
    options = {flag for _, command in commands() for one in command.params for flag in one.opts} | {"--version"}
    assert [one for meant in OPTIONS.values() for one in meant.split() if one not in options] == []


@pytest.mark.parametrize(("lang", "script", "place", "look"), [
    ("en", "k.sh is no Markdown file", "name the file in it: `docs/notes.md`", "see it with --dry-run first"),
    ("zh", "k.sh 不是 Markdown 文件", "写上里面的文件名：`docs/notes.md`", "先用 --dry-run 看一遍"),
])  # fmt: skip
def test_a_name_that_cannot_be_given_is_told_with_what_was_meant(
    mdmem: Run, folder: Path, lang: str, script: str, place: str, look: str
) -> None:
    mdmem("init", "--lang", lang, cwd=folder)
    (folder / "k.sh").write_text("#!/bin/sh\n", "utf-8")
    (folder / "notes.md").write_text("# Notes\n\n- 2026-01-01: milk\n", "utf-8")
    (folder / "docs").mkdir()
    for told, code, *call in (
        (script, 10, "mv", "k.sh", "k2.sh"), (place, 12, "mv", "notes.md", "docs/"),
        (place, 12, "mv", "notes.md", "docs"), (look, 14, "forget", "milk"),
    ):  # fmt: skip
        done = mdmem(*call, cwd=folder)
        assert (done.returncode, told in done.stderr) == (code, True), done.stderr
        assert ".md 结尾" not in done.stderr
    assert mdmem("mv", "notes.md", "docs/notes.md", cwd=folder).returncode == 0
