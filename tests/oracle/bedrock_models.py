"""What differs between the families of models behind Bedrock Converse."""

_FAMILIES = ("claude", "cohere", "deepseek", "gpt-oss", "kimi", "llama", "mistral", "nova", "qwen")


def family(model: str | None) -> str:
    """The family of a model id such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`; empty when unknown."""
    name = (model or "").lower()
    if "pixtral" in name or "ministral" in name or "mixtral" in name:
        return "mistral"
    return next((one for one in _FAMILIES if one in name), "")


def keeps_results_apart(model: str | None) -> bool:
    """Whether tool results and other blocks must not share a message. Nova and Claude mix them (recorded)."""
    return family(model) in ("cohere", "llama", "mistral")


def must_start_with_user(model: str | None) -> bool:
    """Recorded with Claude: an assistant message first, accepted."""
    return family(model) != "claude"


def takes_white_space(model: str | None) -> bool:
    """Recorded with Nova: a text of one space, accepted."""
    return family(model) == "nova"


def takes_any_json(model: str | None) -> bool:
    """Recorded with Nova: a number as the JSON of a tool result, accepted."""
    return family(model) == "nova"


def takes_any_id(model: str | None) -> bool:
    """Recorded with Kimi: its own `functions.get_temperature:0`, accepted."""
    return family(model) == "kimi"


def replays_reasoning(model: str | None) -> bool:
    """Whether reasoning may come back. Only Claude takes what it wrote; an inference profile may be Claude's."""
    return family(model) in ("claude", "")


def takes_videos(model: str | None) -> bool:
    """Recorded with Claude: "This model doesn't support the video content block that you provided."."""
    return family(model) != "claude"


def reads_images_from_s3(model: str | None) -> bool:
    """Recorded with Claude: "This model doesn't support the s3Uri field."; a document of a result may."""
    return family(model) != "claude"
