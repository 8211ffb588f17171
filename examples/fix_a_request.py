"""The one call: a broken conversation in OpenAI's format becomes a request that Claude accepts."""

import json
from pathlib import Path

from replayable import fix

request = json.loads((Path(__file__).parent / "histories" / "broken.json").read_text("utf-8"))
fixed = fix(request, model="anthropic/claude-sonnet-5")

for change in fixed.changes:
    print(change)
print()
for message in fixed.request["messages"]:
    content = message["content"]
    kinds = ["text"] if isinstance(content, str) else [block["type"] for block in content]
    print(f"{message['role']}: {', '.join(kinds)}")
