"""A rule of your own: one that changes the prompt, and one that repairs the history after a rejection."""

from replayable import (
    AssistantMessage,
    CompatRule,
    Evidence,
    Message,
    Pipeline,
    Prompt,
    ProviderError,
    ProviderHistoryCompat,
    UserMessage,
)
from replayable.edits import drop_parts, map_parts, replace
from replayable.facts import FILES, USER
from replayable.messages import FilePart, Messages, Part
from replayable.prompt import with_messages


def shorten(message: Message, part: Part) -> Part:
    return replace(part, text=part.text[:20] + "…") if part.type == "text" and len(part.text) > 20 else part


def shorten_user_texts(prompt: Prompt) -> Prompt | None:
    messages = map_parts(prompt.messages, shorten, needs=USER)
    return None if messages is None else with_messages(prompt, messages)


def drop_files(messages: Messages, error: ProviderError) -> Messages | None:
    return drop_parts(messages, lambda message, part: part.type == "file", needs=FILES)


evidence = (Evidence(text="files are not supported", link="https://example.com/errors", status=400),)
compat = ProviderHistoryCompat(
    additional_rules=[
        CompatRule(name="house-short", summary="Shortens.", apply_to_prompt=shorten_user_texts),
        CompatRule(
            name="house-no-files",
            summary="Drops files once the server has refused one.",
            error_patterns=("files are not supported",),
            fix=drop_files,
            evidence=evidence,
        ),
    ]
)
history: list[Message] = [
    UserMessage(["Look at this picture, please.", FilePart(media_type="image/png", data="aGk=")], id="m1"),
    AssistantMessage("I see.", id="m2"),
    UserMessage("And now?", id="m3"),
]
run = Pipeline([compat]).start(history, model="house/small-model")
print(run.prompt().prompt.messages[0])
print("call again:", run.recover("400: files are not supported"))
print("to store anew:", run.repaired_message_ids)
for change in run.changes:
    print(change)
