"""A run that grows step by step: what it knows of its beginning changes nothing of what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from replayable import (
    Change,
    CleanMessages,
    InputStepArgs,
    LLMRequestArgs,
    Pipeline,
    Processor,
    Prompt,
    ProviderHistoryCompat,
    ToolCallFilter,
)
from replayable.facts import UNPAIRED, Survey, facts_of_all, survey
from replayable.messages import Messages

from .strategies import MODELS, histories


class DropsEmpty(Processor):
    """A processor that knows nothing of beginnings: it drops the messages without parts, wherever they stand."""

    id = "drops-empty"

    @override
    def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
        kept = tuple(message for message in args.prompt.messages if message.parts)
        same = len(kept) == len(args.prompt.messages)
        return None if same else args.prompt.model_copy(update={"messages": kept})


class LosesResults(Processor):
    """A processor that breaks pairs in every step, others in each."""

    id = "loses-results"

    @override
    def process_input_step(self, args: InputStepArgs) -> Messages | None:
        kept = tuple(
            message
            for index, message in enumerate(args.messages)
            if message.role != "tool" or (len(args.messages) + index) % 2
        )
        return kept if len(kept) < len(args.messages) else None


CLEAN, COMPAT = CleanMessages(missing_results="placeholder"), ProviderHistoryCompat()
PIPELINES = (
    Pipeline.default(),
    Pipeline([ToolCallFilter(filter_after_tool_steps=1), CLEAN, COMPAT]),
    Pipeline([DropsEmpty(), CLEAN, COMPAT]),
    Pipeline([LosesResults(), CLEAN, COMPAT]),
)


@st.composite
def growing_histories(draw: st.DrawFn) -> list[Messages]:
    """A history in pieces: results may come pieces after their calls, ids may be used again; each message an object."""
    history = draw(st.tuples(histories(), histories()).map(lambda pair: (*pair[0], *pair[1])))
    history = tuple(message.model_copy() for message in history)
    cuts = sorted(draw(st.lists(st.integers(0, len(history)), min_size=1, max_size=4)))
    return [history[start:end] for start, end in zip([0, *cuts], [*cuts, len(history)], strict=True)]


def told(changes: Sequence[Change]) -> list[tuple[Any, ...]]:
    """What the changes say."""
    return [(c.processor, c.rule, c.action, c.message_index, c.part_index, str(c)) for c in changes]


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda pipeline: pipeline.processors[0].id)
@given(growing_histories(), st.sampled_from(MODELS), st.integers(1, 3))
def test_a_grown_run_is_like_a_new_one(
    pipeline: Pipeline, pieces: list[Messages], model: Any, every: int
) -> None:
    """At any step the prompt and its changes are those of a run that sees the same history for the first time."""
    run = pipeline.start((), model=model)
    for number, piece in enumerate(pieces):
        run.extend(piece)
        if number % every == 0:
            grown, new = run.prompt(), pipeline.prepare(run.messages, model=model)
            assert grown.prompt == new.prompt
            assert told(grown.changes) == told(new.changes)
            kept = {id(message) for message in run.messages}
            # What nobody touched is the very same message in both.
            assert [id(m) if id(m) in kept else None for m in grown.prompt.messages] == [
                id(m) if id(m) in kept else None for m in new.prompt.messages
            ]


@given(growing_histories())
def test_a_survey_of_what_is_new_is_one_of_everything(pieces: list[Messages]) -> None:
    """Facts and pairing that were found piece by piece are those of the whole history."""
    known = Survey()
    history: Messages = ()
    for piece in pieces:
        history += piece
        known = survey(history, known)
        assert known.facts == facts_of_all(history)
        assert not facts_of_all(history[: known.paired]) & UNPAIRED
