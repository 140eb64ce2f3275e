"""Say in Chinese the errors that are raised below the workspace, where no language is known.

Each raises its English sentence, with the names of its facts in braces; that sentence is the key of this table.
"""

from __future__ import annotations

from mdmem.errors import MdmemError


def in_language(error: MdmemError, lang: str) -> MdmemError:
    """Put an error's message and hint into a language; a sentence that the table lacks stays as it is."""
    if lang == "zh":
        facts = {key: _ZH.get(value, value) if isinstance(value, str) else value for key, value in error.facts.items()}
        error.message = _said(error.template, error.message, facts)
        error.hint = _said(error.hint_template, error.hint, facts)
    return error


def _said(template: str, message: str, facts: dict[str, object]) -> str:
    """Return the Chinese sentence of a template."""
    if (known := _ZH.get(template)) is None:
        return message
    return known.format_map(facts) if facts else known


_ZH = {
    # files
    "could not be opened: {reason}": "打不开：{reason}",
    "could not be read: {reason}": "读不了：{reason}",
    "could not be written: {reason}": "写不进去：{reason}",
    "could not be written whole: {reason}": "没有写完整：{reason}",
    "could not be written, nor wholly taken back": "没有写成，也没能完全恢复",
    "could not be created: {reason}": "无法新建：{reason}",
    "could not be removed: {reason}": "删不掉：{reason}",
    "could not be locked: {reason}": "锁不上：{reason}",
    "could not be noted: {reason}": "记不下来：{reason}",
    "could not be finished after a crash: {reason}": "崩溃后没能补完：{reason}",
    "is written, but the disk refused to make that safe: {reason}": "已经写入，但磁盘没能确认保存：{reason}",
    "its folder could not be opened: {reason}": "所在的文件夹打不开：{reason}",
    "its folder could not be made: {reason}": "所在的文件夹建不了：{reason}",
    "its folder cannot be used": "所在的文件夹用不了",
    "the folder cannot be opened: {reason}": "文件夹打不开：{reason}",
    "the memory folder cannot be opened: {reason}": "记忆文件夹打不开：{reason}",
    "mdmem's own folder fails: {reason}": "mdmem 自己的文件夹出错：{reason}",
    "is no regular file": "不是普通文件",
    "is not there": "文件不存在",
    "is there already": "已经存在",
    "has {size} bytes; a memory has at most {max}": "有 {size} 字节，超过了上限 {max}",
    "would have {size} bytes; a memory has at most {max}": "会有 {size} 字节，超过了上限 {max}",
    "grew beyond {max} bytes while it was read": "读取时涨到了 {max} 字节以上",
    "leads out of the memory folder": "指向记忆文件夹之外",
    "lies below something that is no folder": "上一级不是文件夹",
    "symbolic links that go in circles": "符号链接绕成了圈",
    "no free name was found": "找不到没用过的文件名",
    "its new version is missing in the history": "历史里缺少它的新版本",
    "changed while it was being fixed": "修复的时候文件变了",
    "the search index could not be removed: {reason}": "搜索索引删不掉：{reason}",
    "there is no folder for your settings": "没有放个人设置的文件夹",
    "no memory folder here or above": "这里和上级目录里都没有记忆文件夹",
    "`mdmem init` makes one{otherwise}": "`mdmem init` 可以新建一个{otherwise}",
    # other writers
    "another writer is at work there": "另一个程序正在写它",
    "another process is writing the search index": "另一个进程正在写搜索索引",
    "it is being saved over and over": "文件一直在被反复保存",
    "moved on since you saw it, and both changes touch the same place": (
        "你看过之后文件又变了，两处改动改到了同一个地方"
    ),
    "is not what you saw, and what you saw is not known here": "和你看到的版本不一样，历史里也没有那个版本",
    "the lines of the proposal do not stand in the file once": "提议里的原文在文件里没有，或不止一处",
    # git
    "git is not installed": "没有安装 git",
    "git refused": "git 拒绝了",
    "this folder is in no git repository": "这个文件夹不在 git 仓库里",
    # entries and sections
    "the text is empty": "没有文字",
    "there is no text to write": "没有要写的文字",
    "the text holds half a character": "文字里有半个字符",
    "the old text is empty": "没有给出原文",
    "the entry has no text": "这一条没有文字",
    "the new content holds no entry": "新内容里一条也没有",
    "this cannot be the title of a section": "不能用作区域的标题",
    "the file has several sections": "文件里有好几个区域",
    "the field `{key}` cannot be written": "字段 `{key}` 写不进去",
    "there is no place for the new entries": "没有地方放新条目",
    # settings and templates
    "unknown key `{table}{key}`": "不认识的设置 `{table}{key}`",
    "valid keys: {valid}": "可用的设置：{valid}",
    "`{table}{key}` must be {kind}": "`{table}{key}` 应是{kind}",
    "`{table}{key}` must be one of: {names}": "`{table}{key}` 只能是：{names}",
    "true or false": " true 或 false",
    "a whole number above 0": "大于 0 的整数",
    "a share between 0 and 1": " 0 到 1 之间的比例",
    "a text": "一段文字",
    "a list of texts": "文字列表",
    "a table": "一个表",
    "the values are nested too deep": "嵌套太深",
    "no setting needs more than one list": "任何设置都用不着两层列表",
    "the template has no front matter": "模板没有 front matter",
    "the front matter has no `mdmem:` key": "front matter 里没有 `mdmem:`",
    "front matter: {kind} ({detail})": "front matter 有错：{kind}（{detail}）",
    "two headings are named `{title}`": "有两个标题都叫 `{title}`",
    "this workspace sets [{name}], which is not heard yet": "这个工作区设置了 [{name}]，信任之前不起作用",
    "`tokens.counter` is {encoding}, and nothing is installed that counts so": (
        "`tokens.counter` 是 {encoding}，但没有安装能这样计数的包"
    ),
    "there is no template of the kind `{kind}`": "没有「{kind}」这一类的模板",
    "there is no template of the kind `inbox`": "没有「inbox」这一类的模板",
    "there is no template of the kind `pins`": "没有「pins」这一类的模板",
    "there is no template of the kind `task_process`": "没有「task_process」这一类的模板",
    # recipes, rules, searches
    "no recipe is called `{name}`": "没有叫 `{name}` 的配方",
    "the recipes are: {names}": "可用的配方：{names}",
    "`recipe.{name}` needs `{key}`": "`recipe.{name}` 缺少 `{key}`",
    "no part is called `{part}`": "没有叫 `{part}` 的部分",
    "`recipe.{name}` names `{part}` twice": "`recipe.{name}` 里 `{part}` 写了两次",
    "the parts are: {names}": "可用的部分：{names}",
    "a budget is a number of tokens, 0 or more": "预算是词元数，不能小于 0",
    "no agent can be called `{agent}`": "智能体不能叫 `{agent}`",
    "a turn is (role, text), or a message with `role` and `content`": (
        "每轮写成 (role, text)，或带 `role` 和 `content` 的消息"
    ),
    "no rule is called `{word}`": "没有 `{word}` 这条规则",
    "`mdmem explain` lists them all": "`mdmem explain` 列出所有规则",
    "a search gives at least one hit": "至少要找一条",
    "limit is a whole number above 0": "limit 是大于 0 的整数",
    "`{day}` is no day": "`{day}` 不是日期",
    "write it as 2026-02-13": "写成 2026-02-13",
    "this is no regular expression: {reason}": "不是合法的正则表达式：{reason}",
    "the regular expression takes too long": "正则表达式算得太久",
    "no process could be started for a regular expression": "无法启动进程来匹配正则表达式",
    "look for it as a literal text": "按普通文字查找",
    "look for a literal text": "按普通文字查找",
    "a busy mark is named by one word": "名字要写成一个词",
    "letters, digits, `-`, `_` and `.`": "用字母、数字、`-`、`_` 和 `.`",
    # a line of `session record`
    "this line is not valid JSON": "这一行不是合法的 JSON",
    "this line is no JSON object": "这一行不是 JSON 对象",
    "`{key}` must be a text": "`{key}` 要写成文字",
    "send {line}": "每行写成 {line}",
    # keeper's models
    "the prompt has no slot `{{file}}`": "提示词里没有 `{{file}}`",
    "the model must see the whole file": "模型要看到整个文件",
    "unknown slot `{{{{{name}}}}}`": "提示词里有不认识的 `{{{{{name}}}}}`",
    "slots: {names}": "可用的：{names}",
    "the program was ended by signal {code}{told}": "程序被信号 {code} 终止{told}",
    "the program ended with {code}{told}": "程序退出码为 {code}{told}",
    "the endpoint answered vectors of {told} numbers": "接口返回的向量长度不一：{told}",
    "the endpoint answered {given} vectors for {count} texts": "{count} 段文字，接口却返回了 {given} 个向量",
    "the key is none: it holds white space or signs": "密钥不对：里面有空白或控制字符",
    "look at `openai.key_env`": "看看 `openai.key_env`",
    "a compact memory needs one": "精简记忆要用到它",
    "no memory file has a context pool": "没有记忆文件带有上下文池",
    "the kind `{kind}` has one as shipped": "自带的「{kind}」就有",
    "no backend is called `{name}`": "没有叫 `{name}` 的后端",
    "no such backend: {name}": "没有叫 {name} 的后端",
    "backends: {names}": "可用的后端：{names}",
    "one of: {names}": "可用的：{names}",
    "no program is set": "没有设置程序",
    "no model is set": "没有设置模型",
    "the program could not be started: {reason}": "程序启动不了：{reason}",
    "the program took longer than {seconds} seconds": "程序运行超过了 {seconds} 秒",
    "the program printed more than {max} bytes": "程序输出超过了 {max} 字节",
    "the program printed nothing{told}": "程序什么都没有输出{told}",
    "the endpoint answered {status}: {said}": "接口返回 {status}：{said}",
    "the endpoint answered no completion: {said}": "接口没有返回回答：{said}",
    "the endpoint answered no vectors: {said}": "接口没有返回向量：{said}",
    "the model answered nothing": "模型没有回答",
    "the model's answer was cut off at its limit": "模型的回答超过长度被截断",
    "`openai.base_url` is no address": "`openai.base_url` 不是网址",
    "`openai.base_url` holds a name or password": "`openai.base_url` 里有用户名或密码",
    "the key would travel unencrypted": "密钥会不加密地传输",
    "{count} texts are too many to compare without numpy": "{count} 段文字太多，没有 numpy 比不了",
    # what to do next
    "nothing was changed": "什么都没有改",
    "nothing was changed; try again": "什么都没有改；再试一次",
    "nothing was changed; go on in another file": "什么都没有改；请换一个文件",
    "nothing was kept": "什么都没有保存",
    "run it again": "再运行一次",
    "run the command again": "再运行一次",
    "try again": "再试一次",
    "`mdmem doctor` tells more": "`mdmem doctor` 会告诉你更多",
    "`mdmem recover` finishes it or takes it back": "`mdmem recover` 会做完它或退回去",
    "look at the disk; `mdmem recover` then finishes it": "检查磁盘，再用 `mdmem recover` 做完",
    "the next turn, or `mdmem recover`, sets what is there of it aside": (
        "下一轮写入或 `mdmem recover` 会把残留的部分移开"
    ),
    "read it again, then make the change from what stands there": "重新读一遍，在现在的内容上改",
    "delete .mdmem/index.db, then run it again": "删掉 .mdmem/index.db，再运行一次",
    "set XDG_CONFIG_HOME": "设置 XDG_CONFIG_HOME",
    "install git, or lint without --staged": "安装 git，或不用 --staged 检查",
    "run it inside the repository that holds the memory": "到记忆所在的仓库里运行",
    "say in one line what is to be remembered": "用一行写下要记的内容",
    "give a list of texts, one for each entry": "每条一段文字，给出列表",
    "send it as valid Unicode": "请用有效的 Unicode",
    "give the text that the new one replaces": "给出要替换的原文",
    "write first what is to be done": "先写下要做什么",
    "give one line for each entry; to empty it, remove them": "每条一行；要清空就把条目移走",
    "a title is one line of plain words": "标题是一行普通文字",
    "a key is a word and a value one line without `]`: [source:: chat:42]": (
        "键是一个词，值是一行、不含 `]`：[source:: chat:42]"
    ),
    "tidy the section by hand first": "先手动整理这个区域",
    "look at it, then say `mdmem trust`; or set it in your own ~/.config/mdmem/mdmem.toml": (
        "看过之后用 `mdmem trust` 信任；或写进你自己的 ~/.config/mdmem/mdmem.toml"
    ),
    '`pip install "mdmem[tokens]"`, or set it to estimate': '`pip install "mdmem[tokens]"`，或改成 estimate',
    "full sections and proposals need one": "区域写满和提议都要用到它",
    "run it by hand with a prompt on its standard input": "手动运行它，从标准输入给一段提示词试试",
    "check `run` in [command]": "看看 [command] 里的 `run`",
    "set `run` in [command] of ~/.config/mdmem/mdmem.toml": "在 ~/.config/mdmem/mdmem.toml 的 [command] 里设置 `run`",
    "set `model` in [openai] of ~/.config/mdmem/mdmem.toml": (
        "在 ~/.config/mdmem/mdmem.toml 的 [openai] 里设置 `model`"
    ),
    "use a model with a larger output": "换一个输出更长的模型",
    "write it as https://api.example.org/v1": "写成 https://api.example.org/v1",
    "keep it in the environment: `key_env`": "放在环境变量里：`key_env`",
    "use https in `openai.base_url`": "`openai.base_url` 请用 https",
    "check `base_url` in the settings, and the network": "检查设置里的 `base_url` 和网络",
    # of the operating system
    "Permission denied": "没有权限",
    "Operation not permitted": "不允许这样操作",
    "No such file or directory": "没有这个文件或文件夹",
    "No space left on device": "磁盘满了",
    "Disk quota exceeded": "超出磁盘配额",
    "Read-only file system": "文件系统只读",
    "Is a directory": "它是文件夹",
    "Not a directory": "它不是文件夹",
    "File exists": "文件已经存在",
    "File name too long": "文件名太长",
    "File too large": "文件太大",
    "Input/output error": "读写出错",
    "Device or resource busy": "正在被占用",
    "Too many open files": "打开的文件太多",
    "Too many levels of symbolic links": "符号链接层数太多",
    "Invalid argument": "参数无效",
    "Transport endpoint is not connected": "网络文件夹断开了",
    "Stale file handle": "网络文件夹已失效",
}
