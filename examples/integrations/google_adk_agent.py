"""An agent of Google's ADK takes over what Claude began: Gemini would refuse the signature of Claude's thinking."""

import asyncio
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models import Gemini
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import Client, types
from support.provider import serving

from replayable import Change
from replayable.integrations.google_adk import HistoryCompat

WHO: dict[str, Any] = {"user_id": "ada", "session_id": "one"}
THINKING = types.Part(text="Oslo, then.", thought=True, thought_signature=b"signed by Claude")


def provider(body: Any) -> tuple[int, Any]:
    """Refuse the thinking, as Gemini does."""
    if "thoughtSignature" in str(body):
        return 400, {
            "error": {"code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT"}
        }
    content = {"role": "model", "parts": [{"text": "Oslo is in Norway."}]}
    return 200, {"candidates": [{"content": content, "finishReason": "STOP"}]}


def tell(changes: tuple[Change, ...]) -> None:
    for change in changes:
        print(change)


async def main(url: str) -> None:
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="travel", **WHO)
    question = types.Content(role="user", parts=[types.Part(text="Where is Oslo?")])
    answer = types.Content(role="model", parts=[THINKING, types.Part(text="In Norway.")])
    await sessions.append_event(session, Event(author="user", content=question))
    await sessions.append_event(
        session, Event(author="guide", content=answer, model_version="claude-sonnet-5")
    )

    client = Client(api_key="none", http_options=types.HttpOptions(base_url=url))
    guide = LlmAgent(name="guide", model=Gemini(model="gemini-3-pro", client=client))
    app = App(name="travel", root_agent=guide, plugins=[HistoryCompat(on_change=tell)])
    async with Runner(app=app, session_service=sessions) as runner:
        again = types.Content(role="user", parts=[types.Part(text="So?")])
        async for event in runner.run_async(new_message=again, **WHO):
            print(event.content and event.content.parts and event.content.parts[0].text)


with serving(provider) as url:
    asyncio.run(main(url))
