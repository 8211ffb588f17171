"""ADK's requests as ours and back: the same objects where nothing changed, and the same bytes where something did."""

from __future__ import annotations

import base64
from typing import Any, Final

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from replayable import ModelRef, Pipeline
from replayable.integrations._google_adk_requests import AdkRequests, marks_of
from replayable.integrations._guard import Guard

CLAUDE: Final = ModelRef.of("anthropic/claude-sonnet-5")
GEMINI: Final = ModelRef.of("google/gemini-3-pro")
THOUGHT: Final = types.Part(text="Hm.", thought=True, thought_signature=b"\xff\xfe signed")


# A PNG of one pixel, whose base64 has a "/" and a "+", which Google spells otherwise.
PIXEL: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def part(**fields: Any) -> types.Part:
    """A part."""
    return types.Part(**fields)


def call(call_id: str | None = "functions.search:0", **fields: Any) -> types.Part:
    """A call of ``search``."""
    return part(
        function_call=types.FunctionCall(id=call_id, name="search", args={"q": ["Oslo", 1]}), **fields
    )


def result(call_id: str | None = "functions.search:0", **fields: Any) -> types.Part:
    """Its result."""
    given = {"response": {"result": "In Norway."}, **fields}
    return part(function_response=types.FunctionResponse(id=call_id, name="search", **given))


def user(*parts: types.Part) -> types.Content:
    """A content of the user's."""
    return types.Content(role="user", parts=list(parts))


def model(*parts: types.Part) -> types.Content:
    """A content of the model's."""
    return types.Content(role="model", parts=list(parts))


ASK: Final = user(part(text="Where is Oslo?"))


def repaired(
    *contents: types.Content, by: ModelRef = CLAUDE, makers: dict[Any, str] | None = None, **fields: Any
) -> list[types.Content]:
    """What the default processors make of contents, which stay as they are."""
    request = LlmRequest(contents=list(contents), **fields)
    before = [repr(content) for content in contents]
    guarded = Guard(Pipeline.default()).start(AdkRequests(by, makers), request, by)
    assert guarded is not None
    sent: LlmRequest = guarded.request()
    assert [repr(content) for content in request.contents] == before
    same = [id(content) for content in sent.contents] == [id(content) for content in contents]
    assert (sent is request) is same
    return sent.contents


def test_a_healthy_request_is_the_same_object() -> None:
    """Whatever it holds: media, code, what only Gemini knows, and no parts at all."""
    blob = types.Blob(data=b"\x89PNG\xff", mime_type="image/png")
    contents = (
        user(part(text="Look."), part(inline_data=blob), part(file_data=types.FileData(file_uri="gs://a/b"))),
        model(
            part(
                executable_code=types.ExecutableCode(code="1+1", language=types.Language.PYTHON),
                thought_signature=b"s",
            ),
            part(
                code_execution_result=types.CodeExecutionResult(output="2", outcome=types.Outcome.OUTCOME_OK)
            ),
            part(text="Two."),
        ),
        user(part(text="And?")),
    )
    assert [new is old for new, old in zip(repaired(*contents, by=GEMINI), contents, strict=True)] == [
        True
    ] * 3


def test_ids_change_and_all_else_of_the_parts_stays() -> None:
    """Bytes are the same bytes, and the parts beside are the same objects."""
    blob = types.FunctionResponseBlob(data=PIXEL, mime_type="image/png")
    medium = types.FunctionResponsePart(inline_data=blob)
    text = part(text="Let me see.")
    contents = repaired(
        ASK,
        model(text, call(thought_signature=b"\xfb\xef")),
        user(result(parts=[medium]), part(text="Go on.")),
    )
    assert contents[0] is ASK
    assert contents[1].parts is not None
    assert contents[2].parts is not None
    assert contents[1].parts[0] is text
    renamed = "functions_search_0_85c5207c10"
    expected = call(renamed, thought_signature=b"\xfb\xef")
    assert contents[1].parts[1] == expected
    answered = contents[2].parts[0].function_response
    assert answered is not None
    assert (answered.id, answered.response) == (renamed, {"result": "In Norway."})
    kept = [one.inline_data for one in answered.parts or ()] + [one.inline_data for one in contents[2].parts]
    assert [blob.data for blob in kept if blob is not None] == [PIXEL]


def test_a_file_that_changes_keeps_its_bytes() -> None:
    """Claude is told what an image is, not what it was said to be."""
    blob = types.Blob(data=PIXEL, mime_type="image/jpeg", display_name="pixel")
    contents = repaired(user(part(text="Look."), part(inline_data=blob)))
    assert contents[0].parts is not None
    assert contents[0].parts[1].inline_data == blob.model_copy(update={"mime_type": "image/png"})


def test_calls_without_ids_are_paired_by_place() -> None:
    """ADK takes its own ids away before Gemini sees them; an unanswered call of Gemini 3 gets a placeholder."""
    signed = call(None, thought_signature=b"s")
    whole = (ASK, model(signed), user(result(None)), model(part(text="In Norway.")), user(part(text="So?")))
    assert repaired(*whole, by=GEMINI) == list(whole)
    open_call = (ASK, model(signed), user(part(text="Well?")))
    contents = repaired(*open_call, by=GEMINI)
    kinds = [[*map(_kind, content.parts or ())] for content in contents]
    assert kinds == [["text"], ["call"], ["result"], ["text"]]


def _kind(one: types.Part) -> str:
    return "call" if one.function_call else "result" if one.function_response else "text"


def test_thoughts_go_back_to_their_maker_alone() -> None:
    """As far as the session tells; what nobody signed goes to nobody who asks for signatures."""
    answer = model(THOUGHT, part(text="In Norway."))
    history = (ASK, answer, user(part(text="So?")))
    claudes, geminis = (
        {THOUGHT.thought_signature: "claude-sonnet-5"},
        {THOUGHT.thought_signature: "gemini-3-pro"},
    )
    for by, makers, kept in (
        (CLAUDE, claudes, True),
        (CLAUDE, geminis, False),
        (CLAUDE, None, True),
        (GEMINI, geminis, True),
        (GEMINI, claudes, False),
        (GEMINI, None, True),
        (ModelRef.of("vertex/gemini-3-pro"), geminis, True),
        (ModelRef.of("bedrock/us.anthropic.claude-sonnet-5"), claudes, True),
        (ModelRef.of("cerebras/qwen-3-32b"), {THOUGHT.thought_signature: "qwen-3-32b"}, False),
        (ModelRef.of("deepseek/deepseek-reasoner"), {THOUGHT.thought_signature: "deepseek-reasoner"}, True),
    ):
        contents = repaired(*history, by=by, makers=makers)
        assert (contents[1] is answer) is kept, (by, makers)
        assert contents[1].parts is not None
        assert contents[1].parts[-1] is (answer.parts or [])[-1]


def test_a_thought_is_known_by_its_words_where_nobody_signed_it() -> None:
    """A signature says more; other words say nothing."""
    assert marks_of(model(THOUGHT, part(text="Hm.", thought=True), part(text="Hm."), call())) == [
        THOUGHT.thought_signature,
        "Hm.",
    ]
    assert marks_of(types.Content(role="user")) == []


def test_what_the_server_holds_stands_before_the_contents() -> None:
    """The call of a result may be in a cache or in an earlier interaction."""
    orphan = user(result())
    assert repaired(ASK, orphan, by=GEMINI) != [ASK, orphan]
    cached = types.GenerateContentConfig(cached_content="cachedContents/1")
    assert repaired(orphan, by=GEMINI, config=cached) == [orphan]
    assert repaired(orphan, by=GEMINI, previous_interaction_id="1") == [orphan]


def test_objects_that_json_cannot_hold_stay_in_the_request() -> None:
    """They are read as text, and stay where nothing else changes."""
    held = object()
    answer = user(result("toolu_1", response={"result": held}))
    contents = repaired(ASK, model(call("toolu_1")), answer, user(part(text="So?")))
    assert contents[2] is answer


def test_the_signature_that_stands_for_none_is_the_documented_one() -> None:
    """Gemini 3 wants one beside each call of the current turn; on the wire it is Google's own word."""
    contents = repaired(ASK, model(call()), user(result()), by=GEMINI)
    assert contents[1].model_dump(mode="json", by_alias=True)["parts"][0]["thoughtSignature"] == (
        "skip_thought_signature_validator"
    )
