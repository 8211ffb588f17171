"""The one call: a history goes in, a request that the next model's provider accepts comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._node import replace
from .changes import Change
from .formats import FORMATS, detect, format_named
from .model_ref import ModelRef
from .pipeline import Pipeline
from .processor import Processor
from .prompt import Prompt
from .run import prepared

__all__ = ["Fixed", "fix"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What ``fix`` returns.

    Args:
        request: The request to send: a whole one, or a bare list of messages if that was given. The very same object
            as given when nothing needed a change.
        changes: Every difference from what was given, in order; ``str(change)`` is one line.
        prompt: The prompt in replayable's own models.
        system: For a bare list that went to Anthropic: the system prompt, to be passed as ``system`` beside the list.
    """

    request: Any
    changes: tuple[Change, ...]
    prompt: Prompt
    system: Any = None


def fix(
    request: Any,
    *,
    model: Any,
    to: str | None = None,
    source: str | None = None,
    processors: Sequence[Processor] | None = None,
    error: Any = None,
) -> Fixed:
    """Make a request, or a bare list of messages, acceptable to the model that reads it next.

    Args:
        request: A request body or a list of messages, as dicts and lists. Answers may stand in it as the SDKs of OpenAI,
            Anthropic and others return them; where something changed, those become dicts. It is never changed.
        model: The model that will read it; anything that ``ModelRef.of`` accepts, e.g. ``"anthropic/claude-sonnet-5"``.
        to: The format to write (``openai_chat``, ``anthropic``); by default the source's format where the model's provider
            takes it, else what that provider speaks. Behind a gateway that speaks OpenAI's API to every model, say ``to="openai_chat"``.
        source: The format of ``request``; recognised when left out.
        processors: The processors to use; those of ``Pipeline.default()`` unless given.
        error: What the provider answered to the request, if it has refused it: what an SDK raised, an error body, or its
            text. Then what can only be repaired after a rejection is repaired, too (a signature that the provider calls
            invalid); what ``explain`` says of it says whether there is such a repair. Where the error names no fault, a
            full clean-up is made only if nothing else in the request needed a repair.

    Raises:
        HistoryFormatError: The request is not of the shape that its format has.
        ConfigurationError: There is no such format, or something in ``processors`` is not a processor.
    """
    ref = ModelRef.of(model)
    spoken = format_named(to).name if to is not None else ref.api if ref.api in FORMATS else None
    read_as = format_named(source).name if source is not None else detect(request, prefer=spoken)
    # A provider that takes several formats gets the one that the request is in.
    written_as = read_as if to is None and ref.speaks(read_as) else spoken or read_as
    ref = ModelRef.of(ref, api=written_as)
    pipeline = Pipeline.default() if processors is None else Pipeline(processors)
    prompt = format_named(read_as).decode(request)
    if prompt.server_state and written_as != read_as:
        # What the server of one API holds, another API can't reach.
        prompt = replace(prompt, server_state=False)
    run = pipeline.start(prompt, model=ref)
    ready = prepared(run)
    if error is not None:
        # It was said of the request as it came: whatever has been repaired by now may have been the fault.
        run.recover(error, last_resort=not ready.changes)
        ready = prepared(run)
    encoded = format_named(written_as).encode(ready.prompt)
    return Fixed(
        request=encoded.request,
        changes=(*ready.changes, *encoded.changes),
        prompt=ready.prompt,
        system=encoded.system,
    )
