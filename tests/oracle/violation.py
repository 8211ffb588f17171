"""The finding that the oracle reports."""

from dataclasses import dataclass

MALFORMED = "malformed"
"""Entry of requests that break the wire schema itself, for which the catalogue holds no entry."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One reason for which a provider would reject a request.

    Args:
        entry: Id of the catalogue entry it stands for; `malformed` for schema faults; a name that begins
            with `recorded-` for a rejection that recorded traffic shows and the catalogue lacks, with `reported-` for one
            that somebody has reported.
        path: Where it stands in the request, such as `messages[3].content[1].tool_use_id`.
        message: The reason in plain words, quoting the provider's sentence in short.
    """

    entry: str
    path: str
    message: str
