"""Which variables of the environment hold secrets, to judge by their names and values: programs do not get them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_WORDS = (
    "TOKENS?|SECRETS?|PASSW(?:OR)?DS?|PASSWD|PASSPHRASES?|PASS|PWD|CREDENTIALS?|APIKEYS?|KEYS?|PAT|AUTH|COOKIES?|DSN|"
    "WEBHOOKS?|NETRC|KUBECONFIG"
)
_NAME = re.compile(
    rf"(?:^|_)(?:{_WORDS})(?:_|\d*$)|(?:SECRET|PASSWORD|APIKEY)$|^SSH_|^GPG_|^AWS_|^DOCKER_", re.IGNORECASE
)
_HARMLESS = frozenset({"PWD", "OLDPWD"})
_URL_WITH_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]+@")


def without_secrets(environment: Mapping[str, str], passed: Collection[str] = ()) -> dict[str, str]:
    """The variables of an environment but for those that look like secrets and are not named in ``passed``."""
    return {name: value for name, value in environment.items() if name in passed or not is_secret(name, value)}


def is_secret(name: str, value: str) -> bool:
    """Whether a variable looks like a secret."""
    return name not in _HARMLESS and bool(_NAME.search(name) or _URL_WITH_PASSWORD.search(value))
