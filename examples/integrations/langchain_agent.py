"""An agent of LangChain takes up a thread that broke in the middle of a tool call, and heals it."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from support.provider import serving

from replayable import Change
from replayable.integrations.langchain import HistoryCompat

CALL: Any = {"name": "search", "args": {"q": "Oslo"}, "id": "call_1"}
TURNS: list[list[AnyMessage | dict[str, Any]]] = [
    # The result of the call was never stored: the process died.
    [HumanMessage("Where is Oslo?"), AIMessage("", tool_calls=[CALL]), HumanMessage("Are you still there?")],
    [HumanMessage("Good.")],
]


def provider(body: Any) -> tuple[int, Any]:
    """Refuse calls that nobody answered, as OpenAI does."""
    asked = {call["id"] for message in body["messages"] for call in message.get("tool_calls") or []}
    missing = asked - {message.get("tool_call_id") for message in body["messages"]}
    if missing:
        text = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            f" 'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(missing)}"
        )
        return 400, {"error": {"message": text, "type": "invalid_request_error"}}
    message = {"role": "assistant", "content": "Yes. I don't know what became of the search."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return 200, {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


with serving(provider) as url:
    model = ChatOpenAI(model="gpt-5", base_url=url, api_key=lambda: "none")
    agent = create_agent(
        model,
        middleware=[HistoryCompat(persist=True, on_change=tell)],
        checkpointer=InMemorySaver(),
    )
    for given in TURNS:
        state = agent.invoke({"messages": given}, {"configurable": {"thread_id": "1"}})
    print([message.type for message in state["messages"]])
