"""The settings and templates of a workspace that need trust, and whether the user trusts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mdmem.config import trust as trust_store
from mdmem.config.workspace_config import WorkspaceConfig, shipped_recipes
from mdmem.settings.reader import Layer, closed_numbers, closed_settings, part_roles, read_settings, recipe_bounds
from mdmem.settings.tables import Settings
from mdmem.settings.toml_file import parse_toml
from mdmem.store.files import digest
from mdmem.store.walk import SETTINGS_FILE


@dataclass(frozen=True, slots=True)
class TrustRequest:
    """What of a workspace needs trust: settings by table, bundles and its repository; whether the user trusts each."""

    tables: dict[str, Any]
    trusted: bool  # the settings
    bundles: dict[str, bool]  # name → whether it is trusted as it is now
    git: dict[str, str]  # what the repository itself asks git for: keys of its configuration, hooks → value
    git_trusted: bool


def settings_without_own(config: WorkspaceConfig) -> Settings:
    """Return the settings that hold without those of the workspace; raises ConfigError."""
    user = config.user_settings
    return read_settings(
        trust_store.shipped_settings(),
        [Layer(user, trust_store.USER_SETTINGS, trusted=True)] if user is not None else [],
    )


def trust_requests(config: WorkspaceConfig) -> TrustRequest:
    """Return the workspace's settings that need trust; raises ConfigError."""
    tables: dict[str, Any] = {}
    if config.own_settings is not None:
        held, bounds = _compared_with(config, config.own_settings)
        tables = closed_settings(config.own_settings, SETTINGS_FILE, held, trust_store.shipped_boundary())
        tables |= closed_numbers(config.own_settings, SETTINGS_FILE, bounds)
        if roles := part_roles(config.own_settings, SETTINGS_FILE):
            tables["part"] = tables.get("part", {}) | roles
    if config.schemas.kinds and config.loosened:  # set when the schemas are read
        tables["templates"] = config.loosened
    trusted = config.trust_content is not None and trust_store.is_trusted(config.root, config.trust_content)
    bundles = {name: config.bundles.is_trusted(name) for name in config.bundles.names()}
    git_trusted = all(trust_store.is_trusted(config.root, one.content) for one in config.git_requests)
    return TrustRequest(tables, trusted, bundles, {one.name: one.shown for one in config.git_requests}, git_trusted)


def _compared_with(config: WorkspaceConfig, own: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the tables below those of the workspace's file, and the bounds of its recipes; cached for the same files.

    Parsing all the shipped settings takes longer than what reads a few tables of them.
    """
    name = digest(config.key, "trust")
    known = config.cache.get(name)
    if not isinstance(known, list):
        base = settings_without_own(config).values
        tables = {table: base[table] for table in parse_toml(own, SETTINGS_FILE) if table in base}
        known = [tables, _recipe_bounds(config)]
        config.cache.put(name, known)
    tables, bounds = known
    return tables, bounds


def _recipe_bounds(config: WorkspaceConfig) -> dict[str, int]:
    """Return how large the numbers in the recipes of the workspace may be without trust."""
    user = config.user_settings
    files = [parse_toml(shipped_recipes(), "")] + ([parse_toml(user, trust_store.USER_SETTINGS)] if user else [])
    bounds = [recipe_bounds(one, trust_store.shipped_boundary().factor) for one in files]
    return {key: max(one.get(key, 0) for one in bounds) for key in set().union(*bounds)}


def trust_workspace(config: WorkspaceConfig, bundle: str, *, revoke: bool) -> TrustRequest:
    """Trust the current settings, bundles and repository, or one bundle, or revoke the trust; see `Workspace.trust`."""
    if config.trust_content is not None and not bundle:  # first, for the names of the bundles need the settings
        (trust_store.revoke_trust if revoke else trust_store.trust)(config.root, config.trust_content)
    for one in () if bundle else config.git_requests:
        (trust_store.revoke_trust if revoke else trust_store.trust)(config.root, one.content)
    names = config.bundles.names()
    if bundle and bundle not in names:
        raise config.bundles.missing(bundle, config.lang)
    for name in (bundle,) if bundle else names:
        config.bundles.trust(name, revoke=revoke)
    return trust_requests(config)
