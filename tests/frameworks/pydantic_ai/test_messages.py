"""pydantic-ai's messages there and back: what nobody touched is the very object, what was touched keeps the rest of itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import pytest
from pydantic_ai import messages as m
from typing_extensions import override

from replayable import Change, LLMRequestArgs, Message, ModelRef, Processor, Prompt
from replayable.edits import replace, with_parts
from replayable.integrations._guard import Guard
from replayable.integrations._pydantic_ai_messages import PydanticAIMessages
from replayable.integrations.pydantic_ai import repair
from replayable.prompt import with_messages

IMAGE: Final = m.ImageUrl("https://example.com/oslo.png", media_type="image/png")
AUDIO: Final = m.AudioUrl("https://example.com/oslo.mp3", media_type="audio/mpeg")
MODELS: Final = {
    "anthropic/claude-sonnet-5": "anthropic",
    "bedrock/anthropic.claude-sonnet-5": "bedrock",
    "cohere/command-a": "cohere_v2",
    "google/gemini-3-pro-preview": "gemini",
    "openai/gpt-5": "openai_chat",
    "openrouter/openai/gpt-5": "openai_chat",
    "openai/gpt-5 (Responses)": "openai_responses",
}
STATEMENT: Final = m.InstructionPart("Be brief.")


def reader(name: str) -> ModelRef:
    """A model by its name in ``MODELS``."""
    return ModelRef.of(name.partition(" ")[0], api=MODELS[name])


def sent_to(model: ModelRef, messages: list[m.ModelMessage]) -> tuple[list[m.ModelMessage], list[Change]]:
    """What a model is sent, and what was changed for it."""
    told: list[Change] = []
    call = Guard(on_change=told.extend).start(PydanticAIMessages(model), messages, model)
    assert call is not None
    return call.request(), told


def answered(*parts: m.ModelResponsePart, provider: str | None = None, **more: Any) -> m.ModelResponse:
    """An answer."""
    return m.ModelResponse(parts=parts, provider_name=provider, **more)


def asked(*parts: m.ModelRequestPart) -> m.ModelRequest:
    """A request."""
    return m.ModelRequest(parts=list(parts), timestamp=datetime(2026, 12, 1, tzinfo=UTC))


def everything(provider: str) -> list[m.ModelMessage]:
    """A history of each kind of part and of content, which no provider has anything against."""
    return [
        asked(
            m.SystemPromptPart("Be kind."),
            m.InstructionBaselinePart(instructions=[STATEMENT]),
            m.UserPromptPart(["Where is this?", IMAGE, m.CachePoint(), m.TextContent("Say!", metadata=1)]),
        ),
        answered(
            m.TextPart("Let me see."),
            m.ToolCallPart("look", {"at": "Oslo"}, "toolu_1"),
            m.ToolCallPart("look", '{"at": "Norway"}', "toolu_2"),
            m.ToolCallPart("look", None, "toolu_3"),
            provider=provider,
        ),
        asked(
            m.ToolReturnPart("look", {"found": [1, None]}, "toolu_1", metadata={"mine": 1}),
            m.ToolReturnPart("look", ["Here.", IMAGE], "toolu_2"),
            m.ToolReturnPart("look", "Not so.", "toolu_3", outcome="retried"),
            m.UserPromptPart("So?"),
            m.ToolAvailabilityDeltaPart(tools_added=["look"]),
        ),
        answered(m.TextPart("In Norway."), provider=provider, metadata={"mine": 2}),
        asked(m.CompactionPart("Oslo was looked at."), m.UserPromptPart("Sure?")),
    ]


@pytest.mark.parametrize("name", MODELS)
def test_untouched_messages_are_the_very_objects(name: str) -> None:
    """The list, too: nothing is read into what pydantic-ai has of its own."""
    given = everything(reader(name).provider or "")
    sent, changes = sent_to(reader(name), given)
    assert changes == []
    assert sent is given


@pytest.mark.parametrize("name", MODELS)
def test_beside_a_repair_all_others_stay(name: str) -> None:
    """A call without a result gets one in the request behind it; of all other messages the objects go out."""
    given = everything(reader(name).provider or "")
    given[1] = answered(
        *given[1].parts, m.ToolCallPart("look", {}, "toolu_4"), provider=reader(name).provider
    )
    sent, changes = sent_to(reader(name), given)
    assert [change.processor for change in changes] == ["clean-messages"]
    assert [one for one in sent if not any(one is other for other in given)] == [sent[2]]
    added = [part for part in sent[2].parts if not any(part is one for one in given[2].parts)]
    assert [(type(part), getattr(part, "outcome", None)) for part in added] == [
        (m.ToolReturnPart, "interrupted")
    ]
    assert sent[2].timestamp == given[2].timestamp


def test_a_list_that_came_from_json_is_the_same_history() -> None:
    """What ``ModelMessagesTypeAdapter`` stored is repaired as what was in memory."""
    stored = m.ModelMessagesTypeAdapter.dump_json(everything("anthropic"))
    given = m.ModelMessagesTypeAdapter.validate_json(stored)
    assert sent_to(reader("anthropic/claude-sonnet-5"), given) == (given, [])
    given[2] = m.ModelRequest(parts=[])
    healed = repair(given)
    assert m.ModelMessagesTypeAdapter.validate_json(m.ModelMessagesTypeAdapter.dump_json(healed)) == healed


def test_steering_parts_are_no_content() -> None:
    """DeepSeek takes texts alone: what is no text becomes one, but not what only pydantic-ai reads."""
    model = ModelRef.of("deepseek/deepseek-chat")
    given: list[m.ModelMessage] = [
        asked(
            m.UserPromptPart(["Where is this?", m.CachePoint(), IMAGE]),
            m.InstructionBaselinePart(instructions=[STATEMENT]),
        )
    ]
    sent, _ = sent_to(model, given)
    *prompts, steering = sent[0].parts
    assert steering is given[0].parts[1]
    content = [item for part in prompts if isinstance(part, m.UserPromptPart) for item in part.content]
    assert content == [
        "Where is this?",
        m.CachePoint(),
        "[image/png at https://example.com/oslo.png omitted: not supported here]",
    ]


def test_a_file_that_a_tool_returned_with_an_error_stays() -> None:
    """Bedrock refuses an error that says nothing; a picture says something."""
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Look.")),
        answered(*[m.ToolCallPart("look", {}, f"tooluse_{n}") for n in range(2)], provider="bedrock"),
        asked(
            m.ToolReturnPart("look", IMAGE, "tooluse_0", outcome="failed"),
            m.ToolReturnPart("look", "", "tooluse_1", outcome="failed"),
        ),
    ]
    sent, changes = sent_to(reader("bedrock/anthropic.claude-sonnet-5"), given)
    assert {change.rule for change in changes} == {"bedrock-errors-not-empty"}
    first, second = sent[2].parts
    assert first is given[2].parts[0]
    assert isinstance(second, m.ToolReturnPart)
    assert second.content == "(no output)"


def test_only_the_file_that_is_refused_leaves_a_result() -> None:
    """What stands beside it stays as it was, data that are no text included."""
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Look.")),
        answered(m.ToolCallPart("look", {}, "toolu_1"), provider="anthropic"),
        asked(
            m.ToolReturnPart(
                "look", [{"n": 1}, IMAGE, m.BinaryContent(b"no picture", media_type="image/png")], "toolu_1"
            )
        ),
    ]
    sent, changes = sent_to(reader("anthropic/claude-sonnet-5"), given)
    assert {change.rule for change in changes} == {"anthropic-image-limits"}
    (returned,) = sent[2].parts
    assert isinstance(returned, m.ToolReturnPart)
    assert returned.content == [{"n": 1}, IMAGE, "[image/png omitted: it could not be read]"]


def test_files_that_a_text_must_replace_say_what_they_were() -> None:
    """DeepSeek's results are texts."""
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Look.")),
        answered(m.ToolCallPart("look", {}, "call_1"), provider="deepseek"),
        asked(m.ToolReturnPart("look", ["Here.", IMAGE], "call_1")),
    ]
    sent, _ = sent_to(ModelRef.of("deepseek/deepseek-chat"), given)
    (returned,) = sent[2].parts
    assert isinstance(returned, m.ToolReturnPart)
    assert returned.content == "Here.\n[image/png omitted: not supported here]"


def test_a_returned_picture_stays_as_it_is_when_only_its_call_is_renamed() -> None:
    """What a tool returned is no list because an id has changed."""
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Look.")),
        answered(m.ToolCallPart("look", {}, "look:1")),
        asked(m.ToolReturnPart("look", IMAGE, "look:1")),
    ]
    sent, _ = sent_to(reader("anthropic/claude-sonnet-5"), given)
    (returned,) = sent[2].parts
    assert isinstance(returned, m.ToolReturnPart)
    assert returned.tool_call_id != "look:1"
    assert returned.content is IMAGE


def test_a_returned_picture_leaves_with_the_whole_output() -> None:
    """A processor that empties a result empties it of files, too."""

    class Emptying(Processor):
        """A user's own, that takes the outputs of tools away."""

        id = "emptying"

        @override
        def process_llm_request(self, args: LLMRequestArgs) -> Prompt | None:
            return with_messages(args.prompt, tuple(map(emptied, args.prompt.messages)))

    def emptied(message: Message) -> Message:
        results = tuple(replace(part, output="", content=None) for part in message.parts)
        return with_parts(message, results) if message.role == "tool" else message

    model = reader("anthropic/claude-sonnet-5")
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Look.")),
        answered(m.ToolCallPart("look", {}, "toolu_1"), provider="anthropic"),
        asked(m.ToolReturnPart("look", IMAGE, "toolu_1")),
    ]
    call = Guard([Emptying()]).start(PydanticAIMessages(model), given, model)
    assert call is not None
    (returned,) = call.request()[2].parts
    assert returned.content == ""


@pytest.mark.parametrize("name", ["mistral/mistral-large", "anthropic/claude-sonnet-5"])
def test_an_answer_that_goes_on_ends_the_request(name: str) -> None:
    """Its provider continues it: no rule puts anything behind, and what stands before is repaired."""
    history: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Oslo?")),
        answered(m.ToolCallPart("look", {}, "look:1")),
        asked(m.ToolReturnPart("look", "Norway.", "look:1")),
    ]
    going_on = answered(m.TextPart("Let me"), provider="mistral", state="suspended")
    model = ModelRef.of(name)
    expected, changes = sent_to(model, [*history])
    sent, same_changes = sent_to(model, [*history, going_on])
    assert sent == [*expected, going_on]
    assert sent[-1] is going_on
    assert changes == same_changes != []
    untouched: list[m.ModelMessage] = [history[0], going_on]
    assert sent_to(model, untouched) == (untouched, [])


TOKEN: Final = "gAAAAABo"
ITEMS: Final = (
    m.ThinkingPart("Oslo?", id="rs_1", signature=TOKEN, provider_name="openai"),
    m.ThinkingPart("Oslo!", id="rs_1", provider_name="openai"),
    m.TextPart("In", id="msg_1", provider_name="openai"),
    m.TextPart("Norway.", id="msg_1", provider_name="openai"),
    m.ToolCallPart("look", {}, "call_1", id="fc_1", provider_name="openai"),
)
RESPONSES: Final = "openai/gpt-5 (Responses)"


def recovered(refusal: str) -> list[m.ModelMessage]:
    """What is sent once more after a rejection of ``ITEMS``."""
    model = reader(RESPONSES)
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Where?")),
        answered(*ITEMS, provider="openai", model_name="gpt-5"),
        asked(m.ToolReturnPart("look", "Norway.", "call_1")),
    ]
    call = Guard().start(PydanticAIMessages(model), given, model)
    assert call is not None
    assert call.request() is given
    assert call.recover(refusal)
    repaired: list[m.ModelMessage] = call.request()
    return repaired


@pytest.mark.parametrize(
    "refusal",
    [
        "The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    ],
)
def test_items_lose_their_ids_with_their_reasoning(refusal: str) -> None:
    """OpenAI refuses an item whose reasoning is missing; pydantic-ai sends it by value when it has no id."""
    _, answer, _ = recovered(refusal)
    assert [(type(part), getattr(part, "id", None)) for part in answer.parts] == [
        (m.TextPart, None),
        (m.TextPart, None),
        (m.ToolCallPart, None),
    ]
    assert [part.content for part in answer.parts if isinstance(part, m.TextPart)] == ["In", "Norway."]


def test_items_whose_reasoning_is_not_known_come_by_value() -> None:
    """The reasoning stays, under its id."""
    refusal = "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'."
    _, answer, _ = recovered(refusal)
    assert [part.id for part in answer.parts if isinstance(part, m.TextPart | m.ToolCallPart)] == [None] * 3


def test_another_provider_reads_no_ids_of_items() -> None:
    """On the Chat API nothing of an answer over the Responses API is touched."""
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Where?")),
        answered(*ITEMS[2:], provider="openai"),
        asked(m.ToolReturnPart("look", "Norway.", "call_1")),
    ]
    assert sent_to(reader("openai/gpt-5"), given) == (given, [])


def test_a_changed_text_is_no_longer_the_item_that_it_was() -> None:
    """Else OpenAI would take its own copy of it."""
    text = m.TextPart("In Norway. ", id="msg_1", provider_name="openai")
    given: list[m.ModelMessage] = [asked(m.UserPromptPart("Where?")), answered(text, provider="openai")]
    sent, _ = sent_to(ModelRef.of("deepseek/deepseek-chat"), given)
    (changed,) = sent[1].parts
    assert isinstance(changed, m.TextPart)
    assert changed.id is None


def test_what_openai_searched_stays_on_its_responses_api() -> None:
    """The calls of its own server are known there."""
    given: list[m.ModelMessage] = [
        asked(m.UserPromptPart("Where?")),
        answered(
            m.NativeToolCallPart("web_search", {"query": "Oslo"}, "ws_1", provider_name="openai"),
            m.NativeToolReturnPart("web_search", {"status": "completed"}, "ws_1", provider_name="openai"),
            ITEMS[2],
            provider="openai",
            model_name="gpt-5",
        ),
        asked(m.UserPromptPart("Sure?")),
    ]
    assert sent_to(reader(RESPONSES), given) == (given, [])
