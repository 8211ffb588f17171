"""GitHub Copilot: a gateway whose own words say little; those of the provider behind it are known by its row."""

from __future__ import annotations

from typing import Final

from ...messages import UserMessage
from ..provider import Provider
from ..rule import Evidence, Example
from ..rules.cleanup import full_cleanup
from .serving import chat_model

__all__ = ["COPILOT"]

CLEAN_UP: Final = full_cleanup(
    "copilot-clean-up",
    summary="After a refusal without any message the whole history is cleaned up, once: pairs, ids, arguments, reasoning,"
    " empties, order.",
    evidence=(
        Evidence(
            entry="copilot-invalid-request-body",
            text='"message": "", "code": "invalid_request_body"',
            pattern=r"invalid_request_body|^Client specified an invalid argument$",
            cause="The provider behind Copilot refused the request, and Copilot does not say why.",
            status=400,
            link="https://github.com/github/copilot-language-server-release/issues/46",
        ),
    ),
    examples=(
        Example(
            title="A turn that failed, and its repetition",
            before=(UserMessage("Hello?"), UserMessage("Where is Oslo?")),
            after=(UserMessage(["Hello?", "Where is Oslo?"]),),
        ),
    ),
)

COPILOT: Final = Provider(name="copilot", recognise=chat_model("copilot"), structure=(CLEAN_UP,))
