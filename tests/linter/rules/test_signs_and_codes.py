"""Passwords with the signs of source code, names that end in `pass`, codes of locks, and what only looks like these."""

from __future__ import annotations

import pytest
from conftest import Lint

from mdmem.linter.masking import mask

SECRETS = {
    "my password is Blue$Moon12": "my password is [password]",
    "password: Blue(Moon)12!": "password: [password]!",
    "my password is Abc\\def99!": "my password is [password]!",
    "password: Xq7&&plm2": "password: [password]",
    "my password is K<z8>river77": "my password is [password]",
    "sshpass -p 'Rk9$monk' ssh root@10.0.0.4": "sshpass -p '[password]' ssh root@10.0.0.4",
    "DB_PASS=Zebra2213": "DB_PASS=[password]",
    "SMTP_PASS: abcdEFGH7123": "SMTP_PASS: [password]",
    "my netflix pass is Giraffe2024": "my netflix pass is [password]",
    "user: kim, pass: Zebra2213": "user: kim, pass: [password]",
    "the password's Zebra2213!": "the password's [password]!",
    "My Netflix password? It's Zebra2213!": "My Netflix password? It's [password]!",
    "wifi密码 88776655": "wifi密码 [password]",
    "自行车锁密码 4821": "自行车锁密码 [password]",
    "行李箱密码是 308": "行李箱密码是 [lock code]",
    "门禁码 4471#": "门禁码 [lock code]",
    "PIN 4821 for the bike lock": "PIN [PIN] for the bike lock",
    "my card PIN 4821": "my card PIN [PIN]",
    "SIM PUK: 40718826": "SIM PUK: [PIN]",
    "door code is 4471#": "door code is [lock code]",
    "the front door code is 4821#": "the front door code is [lock code]",
    "the garage code is 7731": "the garage code is [lock code]",
    "the alarm code was changed to 7718": "the alarm code was changed to [lock code]",
    "the code for the lockbox is 8205": "the code for the lockbox is [lock code]",
    "the safe combination is 12-34-56": "the safe combination is [lock code]",
    "2FA backup codes: 8273-9912, 1029-3847": "2FA backup codes: [backup code], [backup code]",
    "Recovery codes for GitHub:\n- a8f3k-2mq9d\n- z71hc-0ptw4":
    "Recovery codes for GitHub:\n- [backup code]\n- [backup code]",
    "备用码：48213907 77310452": "备用码：[backup code] [backup code]",
    "my IBAN is NL20 INGB 0001 2345 67": "my IBAN is [bank account]",
}  # fmt: skip
HARMLESS = (
    "password: $DB_PASSWORD", "the password is ${DB_PASS}", "password is {{ vault.db }}", "password: <your-password>",
    "the password is get_password(user)", "password: os.environ['DB']", "password: Optional[str]",
    "password: z.string().min(8)", "password: opts.password||''", "password: C:\\keys\\pw.txt", "password is $HOME/.pw",
    "PASSWORD=$(cat /run/secrets/db)", "pwd=a&&make", "password=prefix$NAME", "the password's too long",
    "the password's SHA-256 digest", "my bus pass is monthly", "my ski pass is A4471B", "second-pass: Huffman2",
    "bypass: valve7722x", "all_pass: test2201", "PASS: test_login2", "密码 12 位", "密码 2024 年换过", "密码 123",
    "密码 10000 人泄露", "热门密码 123456 排第一", "门店代码 4471", "error code: 4471", "exit code is 137", "code 404",
    "the status code is 503", "HS code is 847130", "postal code is 1012", "area code 415",
    "the source code is 4821 lines", "the entry code 4471 lines up", "PIN 1024 of the chip", "GPIO pin 1001",
    "the postal code for the house is 1012",
    "backup codes are in the safe",
    "backup codes: 10 of 16 left", "recovery codes were printed 2024-05-01", "恢复码一共 10 个",
    "the example DE89 3704 0044 0532 0130 00", "what is the router password for [source:: chat:20261124_195804_what]",
)  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_and_refused(text: str, lint: Lint) -> None:
    assert mask(text) == SECRETS[text]
    found = lint(f"# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：{text}\n", "MEMORY.md")
    assert {one.severity for one in found if one.code == "MM502"} == {"error"}


@pytest.mark.parametrize("text", HARMLESS)
def test_what_looks_like_one_stays(text: str) -> None:
    assert mask(text) == text
