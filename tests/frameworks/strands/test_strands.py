"""Agents of Strands behind models of its own kind: what is kept, what is noted, who serves, and when nothing is sent again."""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, AsyncIterable
from pathlib import Path
from typing import Any, Final, cast

import pytest
from strands import Agent, tool
from strands.agent.conversation_manager import (
    SlidingWindowConversationManager,
    SummarizingConversationManager,
)
from strands.middleware import InvokeModelStage
from strands.models import Model
from strands.models.anthropic import AnthropicModel
from strands.models.bedrock import BedrockModel
from strands.models.openai import OpenAIModel
from strands.models.openai_responses import OpenAIResponsesModel
from strands.models.routing import ModelRouter
from strands.session.file_session_manager import FileSessionManager
from strands.types.content import Messages
from strands.types.streaming import StreamEvent

from replayable import ModelRef
from replayable.integrations import collect_changes, unguarded
from replayable.integrations.strands import HistoryCompat, model_ref, repair

SIGNATURE: Final = "c2lnbmVk"
REFUSAL: Final = "messages.1.content.0: Invalid `signature` in `thinking` block"
CLAUDE: Final = "anthropic/claude-sonnet-5"
NOVA: Final = "bedrock/amazon.nova-pro-v1:0"


def said(role: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    """A message; a string is a text."""
    content = [{"text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "content": content, **more}


def call(call_id: str = "call_1") -> dict[str, Any]:
    """A call."""
    return {"toolUse": {"toolUseId": call_id, "name": "search", "input": {"q": "Oslo"}}}


def result(call_id: str = "call_1") -> dict[str, Any]:
    """A result."""
    return {"toolResult": {"toolUseId": call_id, "status": "success", "content": [{"text": "In Norway."}]}}


def thought() -> dict[str, Any]:
    """What a model thought, and signed."""
    return {"reasoningContent": {"reasoningText": {"text": "Oslo, then.", "signature": SIGNATURE}}}


def listed(messages: list[dict[str, Any]]) -> Messages:
    """Messages as Strands types them."""
    return cast(Messages, copy.deepcopy(messages))


def blocks(messages: Any) -> list[tuple[str, list[str]]]:
    """The role of each message, and the kinds of its blocks."""
    return [(message["role"], [next(iter(block)) for block in message["content"]]) for message in messages]


class Scripted(Model):
    """A model that notes what it is sent, and refuses signatures if it is told to.

    Args:
        refusing: Whether it refuses what holds the signature.
        pieces: How many pieces of the answer it hands out before it refuses.
    """

    def __init__(self, *, refusing: bool = False, pieces: int = 0) -> None:
        self.sent: list[dict[str, Any]] = []
        self._refusing = refusing
        self._pieces = pieces

    def update_config(self, **model_config: Any) -> None:
        """Have none."""

    def get_config(self) -> Any:
        """Have none."""
        return {}

    def structured_output(self, *args: Any, **more: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Have none."""
        raise NotImplementedError

    def stream(
        self,
        messages: Messages,
        tool_specs: Any = None,
        system_prompt: str | None = None,
        **more: Any,
    ) -> AsyncIterable[StreamEvent]:
        self.sent.append({"messages": messages, "tools": tool_specs, "system": system_prompt})
        return self._answer(SIGNATURE in str(messages))

    async def _answer(self, signed: bool) -> AsyncGenerator[StreamEvent, None]:
        events: list[Any] = [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"delta": {"reasoningContent": {"text": "Hm."}}}},
            {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": "bWluZQ=="}}}},
            {"contentBlockStop": {}},
            {"contentBlockDelta": {"delta": {"text": "Norway."}}},
            {"contentBlockStop": {}},
            {"messageStop": {"stopReason": "end_turn"}},
        ]
        for event in events[: self._pieces] if self._refusing and signed else events:
            yield event
        if self._refusing and signed:
            raise ValueError(f"Error code: 400 - {REFUSAL}")


def agent_of(model: Model, messages: list[dict[str, Any]], *compats: HistoryCompat, **options: Any) -> Agent:
    """An agent that took up a conversation."""
    return Agent(model, messages=listed(messages), plugins=list(compats), callback_handler=None, **options)


@tool
def search(q: str) -> str:
    """Search for something."""
    return f"found {q}"


class Stateful(Scripted):
    """A model whose server holds what was said before."""

    @property
    def stateful(self) -> bool:
        """Say so."""
        return True


BROKEN: Final = [said("user", "Where is Oslo?"), said("assistant", call()), said("user", "Well?")]
SIGNED: Final = [said("user", "Where is Oslo?"), said("assistant", thought(), "In Norway.")]


def test_messages_stay_unless_repairs_are_to_persist() -> None:
    """With ``persist`` what needed no repair is the same object."""
    for persist in (False, True):
        model = Scripted()
        agent = agent_of(model, BROKEN, HistoryCompat(model=CLAUDE, persist=persist))
        first, asked, _ = agent.messages
        agent("And so?")
        assert blocks(model.sent[0]["messages"])[2][1][0] == "toolResult"
        assert agent.messages[0] is first
        assert agent.messages[1] is asked
        assert (blocks(agent.messages)[2] == ("user", ["toolResult"])) is persist


def test_nothing_of_a_session_is_hidden_by_a_repair(tmp_path: Path) -> None:
    """A window that cuts the healed list cuts the store's at the same place: what comes back is what the agent had."""

    def restored(**options: Any) -> Agent:
        return Agent(
            Scripted(),
            agent_id="a",
            plugins=[HistoryCompat(model=CLAUDE, persist=True)],
            session_manager=FileSessionManager("s", storage_dir=str(tmp_path)),
            conversation_manager=SlidingWindowConversationManager(window_size=4),
            callback_handler=None,
            **options,
        )

    agent = restored(messages=listed([*BROKEN, said("assistant", "Hm.")]))
    for question in "abc":
        agent(question)
        assert [one["content"] for one in restored().messages] == [one["content"] for one in agent.messages]


def test_a_summary_by_an_agent_of_its_own_is_repaired() -> None:
    """Strands calls the agent's bare model for a summary unless there is an agent for it."""
    model, summarizing = Scripted(refusing=True), Scripted(refusing=True)
    by_agent = SummarizingConversationManager(
        summary_ratio=0.8,
        preserve_recent_messages=1,
        summarization_agent=agent_of(summarizing, [], HistoryCompat(model=CLAUDE)),
    )
    agent = agent_of(model, [*SIGNED, *SIGNED], HistoryCompat(model=CLAUDE), conversation_manager=by_agent)
    agent.conversation_manager.reduce_context(agent)
    assert len(summarizing.sent) == 2
    assert SIGNATURE not in str(summarizing.sent[1])
    assert blocks(agent.messages)[0] == ("user", ["text"])


def test_what_a_rejection_taught_persists() -> None:
    """The next call is not refused, and the same message is not repaired for it again."""
    model = Scripted(refusing=True)
    agent = agent_of(model, SIGNED, HistoryCompat(model=CLAUDE, persist=True))
    question = agent.messages[0]
    agent("And so?")
    assert len(model.sent) == 2
    assert agent.messages[0] is question
    assert blocks(agent.messages)[1] == ("assistant", ["text"])
    with collect_changes() as changes:
        agent("Sure?")
    assert len(model.sent) == 3
    assert 1 not in {change.message_index for change in changes}


def test_what_a_rejection_taught_of_other_messages_does_not_persist() -> None:
    """A middleware that sends other messages than the agent's does not make them the agent's."""
    model = Scripted(refusing=True)
    agent = agent_of(model, SIGNED, HistoryCompat(model=CLAUDE, persist=True))
    agent.add_middleware(
        InvokeModelStage.Input,
        lambda context: context.replace(messages=[*context.messages, *listed([said("user", "Now.")])]),
    )
    agent("And so?")
    assert len(model.sent) == 2
    assert blocks(agent.messages)[1] == ("assistant", ["reasoningContent", "text"])


def test_nothing_is_sent_again_once_a_piece_was_handed_out() -> None:
    """The caller has it already."""
    for pieces, requests in ((0, 2), (1, 1)):
        model = Scripted(refusing=True, pieces=pieces)
        agent = agent_of(model, SIGNED, HistoryCompat(model=CLAUDE))
        if pieces:
            with pytest.raises(Exception, match="signature"):
                agent("And so?")
        else:
            agent("And so?")
        assert len(model.sent) == requests


@pytest.mark.parametrize(
    ("maker", "reader", "kept"),
    [
        (CLAUDE, CLAUDE, True),
        (CLAUDE, NOVA, False),
        ("deepseek/deepseek-reasoner", CLAUDE, False),
    ],
)
def test_who_made_an_answer_is_noted_and_never_sent(maker: str, reader: str, kept: bool) -> None:
    """So another model's thoughts leave before anybody refuses them, and its own stay."""
    agent = agent_of(Scripted(), [], HistoryCompat(model=maker))
    agent("Where is Oslo?")
    model = Scripted()
    next_agent = agent_of(model, cast(Any, agent.messages), HistoryCompat(model=reader))
    with collect_changes() as changes:
        next_agent("And so?")
    sent = model.sent[0]["messages"][1]
    assert blocks([sent]) == [("assistant", ["reasoningContent", "text"] if kept else ["text"])]
    assert "metadata" not in sent
    assert (changes == []) is kept


def test_a_name_for_who_serves_leaves_the_api_to_the_model() -> None:
    """OpenAI serves two; the class tells which one is spoken, and the answer is noted as its."""
    spoken = []
    for kind in (Scripted, type("OpenAIResponsesModel", (Scripted,), {})):
        agent = agent_of(kind(), [], HistoryCompat(model="openai/gpt-5"))
        agent("Where is Oslo?")
        noted: Any = agent.messages[-1]
        spoken.append(noted["metadata"]["custom"]["replayable"]["api"])
    assert spoken == ["openai_chat", "openai_responses"]


@pytest.mark.parametrize("name", [CLAUDE, "bedrock/anthropic.claude-sonnet-5", "openai/gpt-5"])
def test_what_strands_keeps_for_itself_is_no_change(name: str) -> None:
    """Usage and the like of messages, and schemas of what tools return, which it never sends."""
    noted = {"metadata": {"custom": {"mine": 1}}}
    history = [said("user", "Hm?", **noted), said("assistant", "Hm.", **noted)]
    agent = agent_of(Scripted(), history, HistoryCompat(model=name))
    agent.add_middleware(
        InvokeModelStage.Input,
        lambda context: context.replace(
            tool_specs=[
                {
                    "name": "a",
                    "description": "A.",
                    "inputSchema": {"json": {"type": "object", "properties": {}}},
                    "outputSchema": {"json": {}},
                }
            ]
        ),
    )
    with collect_changes() as changes:
        agent("Where is Oslo?")
    assert changes == []
    kept: list[Any] = [*agent.messages[:2]]
    assert [message["metadata"] for message in kept] == [noted["metadata"]] * 2


def test_an_answer_of_unknown_make_is_converses_own_on_bedrock() -> None:
    """It came over this wire."""
    with collect_changes() as changes:
        agent_of(Scripted(), SIGNED, HistoryCompat(model="bedrock/anthropic.claude-sonnet-5"))("And so?")
    assert changes == []


def test_what_the_server_holds_is_not_missing() -> None:
    """A stateful model has the calls whose results it is sent."""
    for stateful in (False, True):
        model = Stateful() if stateful else Scripted()
        with collect_changes() as changes:
            agent_of(model, [said("user", result())], HistoryCompat(model="openai/gpt-5"))("And so?")
        assert (changes == []) is stateful


def test_a_healthy_call_goes_out_as_it_is() -> None:
    """System prompt, tools and messages are those that Strands sends without us."""
    prompts: list[Any] = ["Be kind.", [{"text": "Be kind."}, {"cachePoint": {"type": "default"}}], None]
    for prompt in prompts:
        model = Scripted()
        agent = agent_of(model, SIGNED, HistoryCompat(model=CLAUDE), system_prompt=prompt, tools=[search])
        with collect_changes() as changes:
            agent("And so?")
        with unguarded():
            options = {"system_prompt": prompt, "tools": [search]}
            agent_of(model, SIGNED, HistoryCompat(model=CLAUDE), **options)("And so?")
        assert changes == []
        assert model.sent[0] == model.sent[1]


def test_a_changed_call_keeps_its_system_prompt_and_tools() -> None:
    """Only the messages differ, and of them only what was repaired."""
    contexts: list[Any] = []

    async def look(context: Any, next_fn: Any) -> AsyncGenerator[Any, None]:
        contexts.append(context)
        async for event in next_fn(context):
            yield event

    agent = Agent(Scripted(), messages=listed(BROKEN), tools=[search], callback_handler=None)
    agent.add_middleware(InvokeModelStage.Input, lambda context: context.replace(system_prompt="Be kind."))
    agent.add_middleware(InvokeModelStage, look)
    HistoryCompat(model=CLAUDE).init_agent(agent)
    agent.add_middleware(InvokeModelStage, look)
    agent("And so?")
    given, sent = contexts
    assert (sent.system_prompt, len(sent.tool_specs)) == ("Be kind.", 1)
    assert sent.tool_specs[0] is given.tool_specs[0]
    assert [message for message in sent.messages if not any(message is one for one in given.messages)] == [
        sent.messages[2]
    ]


def test_tools_that_a_model_asks_for_are_declared() -> None:
    """Converse refuses calls in a history where no tool is declared."""
    model = Scripted()
    history = [said("user", "Where is Oslo?"), said("assistant", call()), said("user", result())]
    agent = agent_of(model, history, HistoryCompat(model="bedrock/anthropic.claude-sonnet-5"))
    agent("And so?")
    assert [(tool["name"], tool["description"]) for tool in model.sent[0]["tools"] or ()] == [
        ("search", "search")
    ]


def test_a_router_is_asked_whom_it_chose() -> None:
    """The call is repaired for the model that gets it."""
    model = OpenAIModel(
        client_args={"base_url": "http://127.0.0.1:9/v1", "api_key": "none"}, model_id="gpt-5"
    )
    seen: list[str | None] = []
    agent = agent_of(cast(Any, ModelRouter([model, Scripted()])), SIGNED, HistoryCompat())

    async def look(context: Any, next_fn: Any) -> AsyncGenerator[Any, None]:
        seen.append(model_ref(context.model).model)
        async for event in next_fn(context):
            yield event

    agent.add_middleware(InvokeModelStage, look)
    agent("And so?")
    assert seen == ["gpt-5", None]


def test_what_cannot_be_read_goes_out_as_it_is() -> None:
    """The model shall say what it thinks of it."""
    model = Scripted()
    agent = agent_of(model, [said("narrator", "Once upon a time.")], HistoryCompat(model=CLAUDE))
    with collect_changes() as changes:
        agent("And so?")
    assert (model.sent[0]["messages"][0]["role"], changes) == ("narrator", [])


def test_repair_keeps_the_given_list() -> None:
    """What needed no repair is the same object."""
    given = listed(BROKEN)
    repaired = repair(given)
    assert given == BROKEN
    assert repaired[0] is given[0]
    assert blocks(repaired)[2] == ("user", ["toolResult"])


OPENAI: Final = {"api_key": "none"}
MODELS: Final[dict[str, tuple[Any, tuple[str | None, str]]]] = {
    "Anthropic": (
        lambda: AnthropicModel(client_args=OPENAI, model_id="claude-sonnet-5", max_tokens=9),
        ("anthropic", "anthropic"),
    ),
    "Anthropic's API elsewhere": (
        lambda: AnthropicModel(
            client_args={**OPENAI, "base_url": "https://api.moonshot.ai/anthropic"},
            model_id="kimi-k2",
            max_tokens=9,
        ),
        ("moonshot", "anthropic"),
    ),
    "Bedrock": (
        lambda: BedrockModel(model_id="anthropic.claude-sonnet-5", region_name="us-east-1"),
        ("bedrock", "bedrock"),
    ),
    "OpenAI": (lambda: OpenAIModel(client_args=OPENAI, model_id="gpt-5"), ("openai", "openai_chat")),
    "OpenAI's Responses": (
        lambda: OpenAIResponsesModel(client_args=OPENAI, model_id="gpt-5"),
        ("openai", "openai_responses"),
    ),
    "OpenAI's API elsewhere": (
        lambda: OpenAIModel(
            client_args={**OPENAI, "base_url": "https://api.cerebras.ai/v1"}, model_id="qwen-3-32b"
        ),
        ("cerebras", "openai_chat"),
    ),
    "OpenAI's API on Bedrock": (
        lambda: OpenAIModel(bedrock_mantle_config={"region": "us-east-1"}, model_id="openai.gpt-oss-120b"),
        ("bedrock", "openai_chat"),
    ),
    "nobody known": (Scripted, (None, "openai_chat")),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_tells_who_serves_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its class, and where its client was pointed at."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    make, expected = MODELS[kind]
    ref: ModelRef = model_ref(make())
    assert (ref.provider, ref.api) == expected


def test_the_environment_points_openais_client_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """As OpenAI's client reads it."""
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.cerebras.ai/v1")
    assert model_ref(OpenAIModel(client_args=OPENAI, model_id="qwen-3-32b")).provider == "cerebras"
