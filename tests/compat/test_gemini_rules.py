"""Gemini's rules where they are finer than their examples: which turn, which part, which model."""

from __future__ import annotations

from typing import Any

import pytest

from replayable import AssistantMessage, Message, ModelRef, Prompt, ProviderError, check, fix
from replayable.compat.providers.gemini_parts import EXPIRED_FILES, UNSENT_IDS
from replayable.compat.providers.gemini_turns import REFUSED_SIGNATURES, SIGNED_CALLS
from replayable.compat.rules.thought_signatures import NO_SIGNATURE
from replayable.formats import gemini
from replayable.messages import (
    FilePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from tests.oracle import violations

THIRD = ModelRef.of("google/gemini-3-pro-preview")
ASK = UserMessage("Where is Oslo?")


def call(name: str = "search", **options: Any) -> ToolCallPart:
    """A call, with what Gemini's wire says beside it."""
    return ToolCallPart(tool_name=name, input={}, provider_options={"gemini": options} if options else None)


def answer(*parts: Any) -> AssistantMessage:
    """An answer of Gemini's."""
    return AssistantMessage(parts=list(parts), api="gemini")


def result(name: str = "search") -> ToolResultPart:
    """A result."""
    return ToolResultPart(tool_name=name, output="In Norway.")


def results(*parts: ToolResultPart) -> ToolMessage:
    """The results of a turn."""
    return ToolMessage(parts=list(parts or (result(),)))


def signatures(*history: Message) -> list[Any]:
    """The signatures of all calls after the rule, in order."""
    assert SIGNED_CALLS.apply_to_prompt is not None
    prompt = Prompt(messages=history, model=THIRD)
    messages = (SIGNED_CALLS.apply_to_prompt(prompt) or prompt).messages
    return [
        ((part.provider_options or {}).get("gemini") or {}).get("thoughtSignature")
        for message in messages
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]


def test_only_the_first_call_of_each_answer_is_signed() -> None:
    """Parallel calls share the first one's signature; one that is signed stays as it is."""
    assert signatures(ASK, answer(call(), call()), results(result(), result())) == [NO_SIGNATURE, None]
    assert signatures(ASK, answer(call(thoughtSignature="c2ln"), call())) == ["c2ln", None]
    assert signatures(ASK, answer(call()), results(), answer(call()), results()) == [
        NO_SIGNATURE,
        NO_SIGNATURE,
    ]


def test_only_the_current_turn_is_signed() -> None:
    """What stands before the user's last words is not checked; words beside results are no new turn."""
    assert signatures(ASK, answer(call()), results(), answer("In Norway."), ASK) == [None]
    assert signatures(ASK, answer(call()), results(), ASK, answer(call())) == [None, NO_SIGNATURE]
    beside = UserMessage("Hurry.", provider_options={"gemini": {"$continues": True}})
    assert signatures(ASK, answer(call()), results(), beside, answer(call())) == [NO_SIGNATURE, NO_SIGNATURE]


def test_a_signature_that_stands_elsewhere_is_used() -> None:
    """One inside of the call, or where OpenAI's wire carries it, is Gemini's own."""
    assert signatures(ASK, answer(call(functionCall={"thoughtSignature": "c2ln"}))) == ["c2ln"]
    extra = {"openai_chat": {"extra_content": {"google": {"thought_signature": "c2ln"}}}}
    assert signatures(ASK, answer(ToolCallPart(tool_name="search", input={}, provider_options=extra))) == [
        "c2ln"
    ]


@pytest.mark.parametrize("model", ["google/gemini-2.5-pro", "google/gemini-flash-latest"])
def test_older_and_unnamed_models_are_left_alone(model: str) -> None:
    """Before Gemini 3 nobody checks; where the name tells no version, the provider has to speak first."""
    assert SIGNED_CALLS.apply_to_prompt is not None
    assert (
        SIGNED_CALLS.apply_to_prompt(Prompt(messages=(ASK, answer(call())), model=ModelRef.of(model))) is None
    )


def test_refused_signatures_leave_everywhere() -> None:
    """Thoughts go with their signatures; only the current turn's calls need something in their place."""
    assert REFUSED_SIGNATURES.fix is not None
    history = (
        ASK,
        answer(ReasoningPart(text="Hm.", signature="c2ln"), call(thoughtSignature="c2ln")),
        results(),
        ASK,
        answer(call(thoughtSignature="c2ln"), call(thoughtSignature="c2ln")),
    )
    assert REFUSED_SIGNATURES.fix(history, ProviderError()) == (
        ASK,
        answer(call()),
        results(),
        ASK,
        answer(call(thoughtSignature=NO_SIGNATURE), call()),
    )


@pytest.mark.parametrize(
    ("model", "part", "sent"),
    [
        ("google/gemini-2.0-flash", {"text": ""}, None),
        ("google/gemini-2.5-flash", {"text": ""}, {"text": ""}),
        ("vertex/gemini-2.5-flash", {"text": ""}, None),
        ("vertex/gemini-2.5-flash", {"text": "\n"}, {"text": "\n"}),
        ("google/gemini-2.5-flash", {"thought": True}, None),
        ("google/gemini-2.5-flash", {"text": "", "thought": True}, {"text": "", "thought": True}),
        ("google/gemini-2.5-flash", {"thoughtSignature": "c2ln"}, {"text": "", "thoughtSignature": "c2ln"}),
        ("google/gemini-3-pro-preview", {"thoughtSignature": "c2ln"}, {"thoughtSignature": "c2ln"}),
        (
            "vertex/gemini-3-pro-preview",
            {"text": "", "thoughtSignature": "c2ln"},
            {"thoughtSignature": "c2ln"},
        ),
        ("vertex/gemini-2.0-flash", {"text": "", "thoughtSignature": "c2ln"}, None),
        ("google/gemini-3-pro-preview", {}, None),
    ],
)
def test_parts_that_hold_nothing(model: str, part: dict[str, Any], sent: dict[str, Any] | None) -> None:
    """Which empty parts a model takes; a signature stays in the form that it takes."""
    request = {
        "contents": [
            {"role": "user", "parts": [{"text": "Hello"}]},
            {"role": "model", "parts": [{"text": "Hi"}, part]},
            {"role": "user", "parts": [{"text": "Thanks"}]},
        ]
    }
    parts = fix(request, model=model, source="gemini").request["contents"][1]["parts"]
    assert parts == [{"text": "Hi"}, *([] if sent is None else [sent])]


def test_files_that_were_uploaded_later_stay() -> None:
    """The file that the provider names, and those before it, are gone; with its bytes a file needs no upload."""
    assert EXPIRED_FILES.fix is not None

    def upload(name: str, data: str | None = None) -> FilePart:
        uri = f"https://generativelanguage.googleapis.com/v1beta/files/{name}"
        return FilePart(file_id=uri, media_type="application/pdf", data=data)

    stub = TextPart("[application/pdf omitted: not supported here]")
    history = (UserMessage([upload("a"), upload("b", "QQ==")]), UserMessage([upload("b"), upload("c")]))
    said = "You do not have permission to access the File {} or it may not exist."
    named = EXPIRED_FILES.fix(history, ProviderError.of(said.format("b")))
    assert named == (UserMessage([stub, upload("b", "QQ==")]), UserMessage([stub, upload("c")]))
    unknown = EXPIRED_FILES.fix(history, ProviderError.of(said.format("x")))
    assert unknown == (UserMessage([stub, upload("b", "QQ==")]), UserMessage([stub, stub]))


def test_ids_that_an_endpoint_refuses_are_not_sent() -> None:
    """Calls and results keep their ids in the history, and go without them."""
    assert UNSENT_IDS.fix is not None
    request = {
        "contents": [
            {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "search", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "search", "response": {}}}]},
        ]
    }
    prompt = gemini.decode(request)
    messages = UNSENT_IDS.fix(prompt.messages, ProviderError())
    assert messages is not None
    sent = gemini.encode(prompt.model_copy(update={"messages": messages})).request
    assert [next(iter(part.values())) for content in sent["contents"] for part in content["parts"]] == [
        {"name": "search", "args": {}},
        {"name": "search", "response": {}},
    ]
    assert UNSENT_IDS.fix(messages, ProviderError()) is None


def test_calls_join_all_that_the_model_said_right_before_them() -> None:
    """However many contents it stood in; what it says after the calls stands alone."""
    thought = {"role": "model", "parts": [{"text": "Hm.", "thought": True}]}
    said = {"role": "model", "parts": [{"text": "Let me look."}]}
    called = {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {}}}]}
    answered = {
        "role": "user",
        "parts": [{"functionResponse": {"name": "search", "response": {"output": "x"}}}],
    }
    ask = {"role": "user", "parts": [{"text": "Where is Oslo?"}]}
    history = [ask, thought, said, called, answered, said, said, ask]

    joined = {"role": "model", "parts": [part for one in (thought, said, called) for part in one["parts"]]}
    assert fix(history, model="google/gemini-2.5-flash").request == [ask, joined, *history[4:]]


def test_a_result_that_was_moved_stands_with_the_others() -> None:
    """Gemini counts the responses of one content, whatever contents they came from."""
    ask, other = ({"role": "user", "parts": [{"text": text}]} for text in ("Where is Oslo?", "And?"))
    calls = [
        {"functionCall": {"id": name, "name": name, "args": {}}, "thoughtSignature": "c2ln"}
        for name in ("a", "b")
    ]
    first, second = (
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": name, "name": name, "response": {"output": 1}}}],
        }
        for name in ("a", "b")
    )
    history = [
        ask,
        {"role": "model", "parts": calls},
        first,
        {"role": "model", "parts": [{"text": "Hm."}]},
        second,
        other,
    ]

    sent = fix(history, model=THIRD).request
    assert sent[2] == {"role": "user", "parts": [*first["parts"], *second["parts"]]}
    assert [*sent[:2], *sent[3:]] == [*history[:2], history[3], other]


@pytest.mark.parametrize(
    ("model", "value", "stays"),
    [
        ("google/gemini-2.5-pro", {"level": "MEDIA_RESOLUTION_HIGH"}, False),
        ("google/gemini-3-pro-preview", {"level": "MEDIA_RESOLUTION_HIGH"}, False),
        ("google/gemini-3-pro-preview", None, True),
        ("google/gemini-3.1-pro-preview", {"level": "MEDIA_RESOLUTION_HIGH"}, True),
        ("vertex/gemini-2.5-pro", {"level": "MEDIA_RESOLUTION_HIGH"}, True),
    ],
)
def test_resolution_of_a_part(model: str, value: Any, stays: bool) -> None:
    """Google's own API knows it only for what came after Gemini 3.0; the SDK's dumps hold None, which it does not send."""
    part = {"text": "What is this?", "media_resolution": value}
    request = {"contents": [{"role": "user", "parts": [part]}]}
    findings = check(request, model=model, source="gemini")
    assert [finding.rule for finding in findings] == ([] if stays else ["gemini-media-resolution"])
    oracle = violations(
        request, api="gemini", provider=model.partition("/")[0], model=model.partition("/")[2]
    )
    assert bool(oracle) is not stays
