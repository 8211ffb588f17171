"""An agent of LangChain takes up a thread that broke in the middle of a tool call, and heals it."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from support.provider import serving
from support.replies import Reply, openai_misses_results, openai_says

from replayable import Change
from replayable.integrations.langchain import HistoryCompat

CALL: Any = {"name": "search", "args": {"q": "Oslo"}, "id": "call_1"}
TURNS: list[list[AnyMessage | dict[str, Any]]] = [
    # The result of the call was never stored: the process died.
    [HumanMessage("Where is Oslo?"), AIMessage("", tool_calls=[CALL]), HumanMessage("Are you still there?")],
    [HumanMessage("Good.")],
]


def provider(body: Any) -> Reply:
    return openai_misses_results(body) or openai_says("Yes. I don't know what became of the search.")


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
