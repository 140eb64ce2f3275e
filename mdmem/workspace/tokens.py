"""Which counter a workspace counts tokens with: the estimate, or an exact one where it is installed."""

from __future__ import annotations

from mdmem.core.settings.models import TokensSettings
from mdmem.core.tokens import TokenCounter, count_tokens, scaled
from mdmem.errors import ConfigError


def token_counter(settings: TokensSettings) -> TokenCounter:
    """Give the counter that the settings name.

    Raises:
        ConfigError: it is an exact one, and the package for it is not installed.
    """
    counter = count_tokens if settings.counter == "estimate" else _exact(settings.counter)
    return scaled(counter, settings.percent)


def _exact(encoding: str) -> TokenCounter:
    try:
        import toktok
    except ImportError as error:
        message = f"`tokens.counter` is {encoding}, and nothing is installed that counts so"
        raise ConfigError(
            message, path="mdmem.toml", hint='`pip install "mdmem[tokens]"`, or set it to estimate'
        ) from error
    return lambda text: toktok.batch_count([text], encoding)[0]
