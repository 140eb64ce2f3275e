"""Values that look like secrets and are none: samples that say so, public keys, digests, known answers.

And arguments of commands, which are secrets.
"""

from __future__ import annotations

import base64
import json
import random
import string

import pytest
from conftest import Lint

from mdmem.linter.detect.secrets import find_secrets
from mdmem.linter.masking import mask

_DICE = random.Random(20261130)
_URL = string.ascii_letters + string.digits + "-_"


def drawn(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(_DICE.choice(letters) for _ in range(length - 4)) + "Q7xz"


def hexed(length: int) -> str:
    return "".join(_DICE.choice("0123456789abcdef") for _ in range(length - 4)) + "b7e2"


def alarms(lint: Lint, text: str, path: str = "docs/manual.md") -> list[str]:
    """Return the errors and warnings about secrets."""
    return [one.code for one in lint(text, path) if one.severity != "note" and one.code in ("MM501", "MM502", "MM507")]


def url64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


SAMPLES = {
    "two words as a password": "password: 'sailsRules',",
    "three words as a password": 'passwd = "blueRiverBoat"',
    "words with dashes": "password: 'blue-river-boat'",
    "a name and digits": 'access_token: "existingtoken123",',
    "what it is": "auth: { apiKey: 'base64EncodedKey' }",
    "what it is in snake case": 'client_secret = "my_client_secret_value_1"',
    "a key for tests": "mailApiKey: 'key-" + f"testkeyb{hexed(24)}'",
    "a token for tests": 'API_TOKEN="test-token-' + f'{hexed(16)}"',
    "a key that is an example": f"secret_key: 'example_key_{drawn(20)}'",
    "a login at a host for examples": "url: 'mysql://bluegrass:0ldy3ll3r@legacy.example.com:3306/store'",
    "another one": "url: 'mongodb://blue:Gr33n0cean@cats.example.com:27017/hats'",
    "a login with a common password": 'url: "redis://alice:foobared@awesome.redis.server:6380"',
    "credentials that count": '"authorization": "basic '
    + base64.b64encode(b"lv1.1234567890abcdef:1234567890abcdef12345678").decode()
    + '"',
    "a key that is cut": "dotenv://:key_1234..@dotenv.local/vault?environment=production",
    "a login that is cut": "postgres://kim:s3Kr8a..@db.lan/app",
    "a seed of digits": 'secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY",',
    "a seed of words": f"otp secret: {base64.b32encode(b'hello blue river boat').decode()}",
    "种子": f"密钥：{base64.b32encode(b'12345678901234567890').decode()}",
    "a word that ends in a digit": 'PASSWORD="s1mpl3"',
    "a type of JavaScript": "function derive(password: Uint8Array, salt: Uint8Array, rounds: number)",
    "a type of numbers": "(pin: Float64Array, password: BigUint64Array)",
    "a type of C": "passphrase: uint64_t;",
    "a type of Rust": "fn open(password: u128)",
    "a type of Solidity": "password: bytes32, key: uint256",
    "a function": "token: 'getUserByIdAndNameV2OrThrow'",
    "示例": "  password: 'lanHeXiaoChuan'  # 示例",
}


@pytest.mark.parametrize("line", SAMPLES.values(), ids=SAMPLES)
def test_a_sample_that_says_so_is_no_secret_of_a_document(line: str, lint: Lint) -> None:
    assert not alarms(lint, f"# Manual\n\n```js\n{line}\n```\n")
    assert not alarms(lint, f"# 手册\n\n配置如下：\n\n```js\n{line}\n```\n")


REAL = {
    "a word with a number in it": "password: 'nodejs4Rules'",
    "a word outside of code": "the password: blueRiverBoat",
    "a key behind a word": f"api_key: 'boat-{drawn(24)}'",
    "a token behind its name": f'token: "token_{drawn(24)}"',
    "a key of a provider for tests": f"stripeSecretKey: 'sk_test_{drawn(24)}'",
    "a strong password at a host for examples": f"postgres://kim:{drawn(20)}@db.example.com/app",
    "a drawn password at a host for examples": "postgres://kim:9vKq2mXw@db.example.org/app",
    "a strong password": f"password: '{drawn(14)}'",
    "a seed": f"otp secret: {base64.b32encode(_DICE.randbytes(20)).decode()}",
    "credentials": "Authorization: Basic " + base64.b64encode(f"kim:{drawn(12)}".encode()).decode(),
    "密码": f"管理员密码：{drawn(12)}",
}


@pytest.mark.parametrize("line", REAL.values(), ids=REAL)
def test_what_looks_real_is_found_in_a_document(line: str, lint: Lint) -> None:
    assert alarms(lint, f"# Manual\n\n```js\n{line}\n```\n")


@pytest.mark.parametrize("name", ["two words as a password", "a name and digits", "a key for tests", "a function"])
def test_in_a_memory_a_sample_may_be_the_real_one(name: str, lint: Lint) -> None:
    assert alarms(lint, f"# Memory\n\n## Notes\n\n- {SAMPLES[name].strip()}\n", "MEMORY.md")


def jwt(**claims: object) -> str:
    head = url64(b'{"alg":"HS256","typ":"JWT"}')
    return f"{head}.{url64(json.dumps(claims, ensure_ascii=False).encode())}.{url64(_DICE.randbytes(32))}"


@pytest.mark.parametrize("claims", [
    {"foo": "bar", "iat": 1490015413}, {"sub": "1234567890", "name": "Kim"}, {"name": "John Doe"}, {"name": "张三"},
    {"iss": "https://example.com", "sub": "kim"}, {"user": "test", "iat": 5}, {"email": "kim@example.org"},
])  # fmt: skip
def test_a_token_about_nobody_is_a_sample_of_a_document(claims: dict[str, object], lint: Lint) -> None:
    line = f'curl -H "Authorization: Bearer {jwt(**claims)}" 127.0.0.1:7001'
    assert not alarms(lint, f"# Manual\n\n```\n{line}\n```\n")
    assert alarms(lint, f"# Memory\n\n## Notes\n\n- {line}\n", "MEMORY.md")


@pytest.mark.parametrize("claims", [
    {"sub": "7e1f", "iat": 1490015413}, {"name": "Mara Lind", "iss": "https://boats.io"}, {"user": "tester-of-boats"},
])  # fmt: skip
def test_a_token_about_somebody_is_found_in_a_document(claims: dict[str, object], lint: Lint) -> None:
    assert alarms(lint, f"# Manual\n\n```\nBearer {jwt(**claims)}\n```\n")


# points of the curves P-256 and secp256k1: their generators (FIPS 186-4, SEC 2) and one that a manual shows
NIST = (
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
)
KOBLITZ = (
    "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
)
PUSH = "BL7ELU24fJTAlH5Kyl8N6BDCac8u8li_U5PIwG963MOvdYs9s7LSzj8x_7v7RFdLZ9Eap50PiiyF5K0TDAis7t0"
SPKI = bytes.fromhex("30820122300d06092a864886f70d01010105000382010f00") + _DICE.randbytes(270)
EC_SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200") + bytes.fromhex(NIST)
ED_SPKI = bytes.fromhex("302a300506032b6570032100") + _DICE.randbytes(32)
SSH_KEY = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + _DICE.randbytes(32)
CERTIFICATE = bytes.fromhex("308203a13082028aa003020102020900") + _DICE.randbytes(600)
PUBLIC = {
    "a key for push messages": f"web-push send --key={PUSH} \\",
    "the same in code": f'const key = "{PUSH}"',
    "P-256 in base64": f"secret key: {url64(bytes.fromhex(NIST))}",
    "P-256 in hexadecimal": f"api key: {NIST}",
    "secp256k1": f"token: {KOBLITZ}",
    "an RSA key": f"signing key: {base64.b64encode(SPKI).decode()}",
    "a key of a curve": f'"key": "{base64.b64encode(EC_SPKI).decode()}"',
    "an Ed25519 key": f"auth key: {base64.b64encode(ED_SPKI).decode()}",
    "a certificate": f"IDP_SIGNING_KEY={base64.b64encode(CERTIFICATE).decode()}",
    "a key of SSH": f"deploy key: {base64.b64encode(SSH_KEY).decode()}",
    "what is called public": f"public key: {drawn(44)}",
    "the same in code, with a dash": f"public-key: '{drawn(44)}'",
    "the digest of a file": f"token: sha512-{base64.b64encode(_DICE.randbytes(64)).decode()}",
    "a short digest": f"api key: sha256-{base64.b64encode(_DICE.randbytes(32)).decode()}",
}


@pytest.mark.parametrize("path", ["MEMORY.md", "docs/manual.md"])
@pytest.mark.parametrize("line", PUBLIC.values(), ids=PUBLIC)
def test_what_is_public_is_no_secret_anywhere(line: str, path: str, lint: Lint) -> None:
    assert not list(find_secrets(line))
    assert not alarms(lint, f"# Memory\n\n## Notes\n\n- {line}\n", path)


PRIVATE = {
    "a key in PKCS#8": bytes.fromhex("308204be020100300d06092a864886f70d0101010500048204a8") + _DICE.randbytes(300),
    "a key in SEC 1": bytes.fromhex("30770201010420") + _DICE.randbytes(114),
    "an encrypted key": bytes.fromhex("308204e33027 06092a864886f70d01050d301b") + _DICE.randbytes(300),
    "65 bytes that are on no curve": b"\x04" + _DICE.randbytes(64),
    "a key of SSH": b"openssh-key-v1\0" + _DICE.randbytes(90),
}


@pytest.mark.parametrize("data", PRIVATE.values(), ids=PRIVATE)
def test_what_is_not_public_stays_a_secret(data: bytes) -> None:
    assert list(find_secrets(f"signing key: {base64.b64encode(data).decode()}"))
    assert list(find_secrets(f"private key: {data[:33].hex()}"))


ARGUMENTS = (
    "--auth=juarI8x__VnHvsOgfeAPHg",
    "--auth juarI8x__VnHvsOgfeAPHg",
    "--token=juarI8x__VnHvsOgfeAPHg",
    "--api-key juarI8x__VnHvsOgfeAPHg",
    f"--pass={drawn(22)}",
    f"--pass {drawn(22)}",
    f"--basic-auth={drawn(24)}",
    f"--auth {hexed(32)}",
    f"-auth {drawn(24)}",
    f"--key {drawn(32)}",
    f'--auth "{drawn(28)}"',
    "--secret=" + "kX9_" + "bQ-7vW" + "tZ_r2LmPqYf-Hs",
)


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("path", ["MEMORY.md", "docs/manual.md"])
def test_an_argument_of_a_command_is_found(argument: str, path: str, lint: Lint) -> None:
    text = f"# Memory\n\n## Notes\n\n- run `push send {argument} --ttl=60`\n"
    assert alarms(lint, text, path)
    value = argument.replace('"', "").replace("=", " ").split()[-1]
    assert value not in mask(text)


NO_ARGUMENTS = (
    "--auth=basic-with-a-proxy-in-front",
    "--auth $(cat ~/.config/boats/token2)",
    "--auth=$AUTH_TOKEN_OF_STAGING_2",
    "--key certs/server-2024/boats-key.pem",
    "--key ./certs/Server2024Key/privkey.pem",
    "--pass-through=Service-Token-v2-Prod",
    "--author=Kim2024Rivers-and-Anna3Boats",
    "--auth <TOKEN_OF_YOUR_ACCOUNT_1>",
    "--authenticate-with-github-app2-or-not",
    "--key=My-Service_Key-for-Staging-2024",
)


@pytest.mark.parametrize("argument", NO_ARGUMENTS)
def test_an_argument_without_a_value_that_is_drawn_is_none(argument: str) -> None:
    assert not list(find_secrets(f"push send {argument} --ttl=60"))


@pytest.mark.parametrize("heading", [
    "Test vectors", "Known-answer tests", "RFC 7515 vector 3", "已知答案测试", "测试向量", "Example keys", "密钥示例",
])  # fmt: skip
def test_a_known_answer_of_a_document_is_a_note(heading: str, lint: Lint) -> None:
    text = f"# Crypto\n\n## {heading}\n\n```\nsecret key: {hexed(64)}\n```\n"
    found = [one for one in lint(text, "docs/crypto.md") if one.code == "MM501"]
    assert [one.severity for one in found] == ["note"]
    assert alarms(lint, text.replace(heading, "Setup"), "docs/crypto.md")
    assert alarms(lint, text + f"\n## Setup\n\nsecret key: {hexed(64)}\n", "docs/crypto.md")
    assert alarms(lint, f"# Memory\n\n## {heading}\n\n- secret key: {hexed(64)}\n", "MEMORY.md")


@pytest.mark.parametrize("line", ["// test vector: {}", "Example secret: {}", "# 测试向量 token: {}"])
def test_a_line_that_says_so_is_a_note(line: str, lint: Lint) -> None:
    value = line.format(f"signing key: {drawn(40)}")
    assert not alarms(lint, f"# Crypto\n\n```\n{value}\n```\n", "docs/crypto.md")
    assert alarms(lint, f"# Crypto\n\n```\nsigning key: {drawn(40)}\n```\n", "docs/crypto.md")


def test_a_password_of_a_test_vector_is_a_note(lint: Lint) -> None:
    text = "# Hash\n\n## {}\n\n```\npassword: " + drawn(12) + "\n```\n"
    for heading in ("Test vectors", "测试向量"):
        assert not alarms(lint, text.format(heading))
    assert alarms(lint, text.format("Setup"))


def test_the_token_of_a_provider_is_never_a_known_answer(lint: Lint) -> None:
    token = "gh" + "p_" + drawn(36)
    assert alarms(lint, f"# Crypto\n\n## Test vectors\n\n- token: {token}\n", "docs/crypto.md")


def test_the_address_of_an_invitation_holds_no_secret(lint: Lint) -> None:
    link = "http://qm.qq.com/cgi-bin/qm/qr?_wv=1027&k={}&authKey=pdU6HDpyzGUoc1Qv{}%2F0ChP4lNjPIPgWHGRE4I99XYGiTcNI&noverify=0"
    for name in ("官方群", "group"):
        text = f'# Boats\n\n### {name}：<a href="{link.format(drawn(32), drawn(30))}" target="_blank">549833913</a>\n'
        assert not alarms(lint, text)
    assert alarms(lint, f"# Boats\n\n[in](https://boats.io/in?authKey={drawn(40)})\n")


PHRASE = (
    "surround miss nominee dream gap cross assault thank captain prosper drop duty group candy wealth weather scale put"
)
SHOWN = {
    "a name that says so": f'export const testMnemonic =\n  "{PHRASE}";',
    "a phrase of a chain for tests": f'mnemonic = "{"test " * 11}junk"',
    "the phrase of BIP 39": f'mnemonic: "{"abandon " * 11}about"',
    "what is to be replaced": f'const mnemonic = // Replace with your own mnemonic\n  "{PHRASE}";',
    "要替换的": f'助记词 = // 请替换为你自己的\n  "{PHRASE}"',
    "the number of a card in code": "formatBankCard('6228480402564890018'); // 6228 4804 0256 4890 018",
    "银行卡号": "formatBankCard('6228480402564890018') // 银行卡号 6228 4804 0256 4890 018",
}


@pytest.mark.parametrize("code", SHOWN.values(), ids=SHOWN)
def test_what_code_of_a_document_shows_is_a_note(code: str, lint: Lint) -> None:
    assert not alarms(lint, f"# Boats\n\n```ts\n{code}\n```\n")


def test_other_phrases_and_numbers_of_a_document_are_found(lint: Lint) -> None:
    assert alarms(lint, f'# Boats\n\n```ts\nconst mnemonic = "{PHRASE}";\n```\n')
    assert alarms(lint, f"# Boats\n\nthe recovery phrase is {PHRASE}\n")
    assert alarms(lint, "# Boats\n\nmy card number is 6228 4804 0256 4890 018\n")
    assert alarms(lint, "# Boats\n\n我的银行卡号：6228480402564890018\n")
    assert alarms(lint, f"# Memory\n\n## Notes\n\n```ts\n{SHOWN['a name that says so']}\n```\n", "MEMORY.md")


@pytest.mark.parametrize(
    "name", ["TEST_VECTORS.md", "docs/test-vectors.md", "known_answers.md", "测试向量.md", "a/testvectors/rsa.md"]
)
def test_a_file_of_test_vectors_holds_known_answers(name: str, lint: Lint) -> None:
    text = f"# Boats\n\n```\nprivate key: {hexed(64)}\nmnemonic: {PHRASE}\n```\n"
    assert not alarms(lint, text, name)
    assert alarms(lint, text, "docs/boats.md")


@pytest.mark.parametrize("before", [
    '"public_key":{"@type":"/cosmos.crypto.secp256k1.PubKey","key":"', '"pubkey": {"type": "a", "key": "',
    "PublicKey(key: '", '"pub_key":{"key":"', '公钥 key: "', "public_keys:\n  - key: ",
])  # fmt: skip
def test_the_key_of_a_public_key_is_public(before: str) -> None:
    assert not list(find_secrets(f"{before}{drawn(44)}"))
    assert list(find_secrets(f'"private_key": {{"key": "{drawn(44)}'))


@pytest.mark.parametrize("address", [
    "https://books.io/b?id=7J&pg=PP1&ots=D46&sig={}&hl=nl", "https://boats.io/v?a=1&sig={}", "https://boats.io/?sig={}",
])  # fmt: skip
def test_a_signature_in_a_link_of_a_document_opens_no_account(address: str, lint: Lint) -> None:
    link = address.format("ivDGTxsPNwlOjLHrpKF1nweZFl8x" + drawn(12))
    for line in (f"[the book]({link})", f"见[这本书]({link})。"):
        assert not alarms(lint, f"# Boats\n\n{line}\n")
        assert alarms(lint, f"## 笔记\n\n- {line}\n", "MEMORY.md")
    store = f"[a](https://boats.blob.core.io/x?sv=2031-01-01&se=2031&sig={drawn(44)})"
    assert alarms(lint, f"# Boats\n\n{store}\n")
