"""The errors that replayable raises. Each holds its data as attributes and says what to do."""

from __future__ import annotations

__all__ = [
    "ConfigurationError",
    "HistoryFormatError",
    "MissingExtraError",
    "ProcessorError",
    "ReplayableError",
    "RunAborted",
]


class ReplayableError(Exception):
    """Base of every error that replayable raises on purpose."""


class ConfigurationError(ReplayableError):
    """A processor, a rule or a pipeline was set up in a way that can't work; raised at construction."""


class HistoryFormatError(ReplayableError):
    """A request or message list is not of the shape that its wire API has.

    Args:
        path: Where it stands, as in Python: ``messages[3].content[1].tool_use_id``; empty for the whole.
        found: What stands there, described by type (and, for short scalars, by value).
        expected: What should stand there.
        remedy: What the caller can do about it, when there is more to say than "mend the input".
    """

    def __init__(self, *, path: str, found: str, expected: str, remedy: str = "") -> None:
        self.path = path
        self.found = found
        self.expected = expected
        self.remedy = remedy
        where = path or "the input"
        super().__init__(f"{where}: expected {expected}, found {found}" + (f"; {remedy}" if remedy else ""))

    def under(self, prefix: str) -> HistoryFormatError:
        """Return the same error with ``prefix`` in front of its path."""
        joined = f"{prefix}{self.path}" if self.path.startswith("[") else f"{prefix}.{self.path}".rstrip(".")
        return HistoryFormatError(path=joined, found=self.found, expected=self.expected, remedy=self.remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return (_format_error, (self.path, self.found, self.expected, self.remedy))


def _format_error(path: str, found: str, expected: str, remedy: str) -> HistoryFormatError:
    return HistoryFormatError(path=path, found=found, expected=expected, remedy=remedy)


class MissingExtraError(ReplayableError, ImportError):
    """An integration was imported without the package that it adapts.

    Args:
        module: The module that could not be imported.
        extra: The extra that installs it.
    """

    def __init__(self, module: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{module} is not installed; replayable's integration needs it: pip install 'replayable[{extra}]'",
            name=module,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (MissingExtraError, (self.name, self.extra))


class ProcessorError(ReplayableError):
    """A processor raised; the original exception is ``__cause__``.

    Args:
        processor_id: The ``id`` of the processor at fault.
        hook: The hook that raised, e.g. ``process_llm_request``.
        reason: What the exception was.
    """

    def __init__(self, processor_id: str, hook: str, reason: str) -> None:
        self.processor_id = processor_id
        self.hook = hook
        self.reason = reason
        super().__init__(f"processor {processor_id!r} raised in {hook}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return (ProcessorError, (self.processor_id, self.hook, self.reason))


class RunAborted(ReplayableError):  # noqa: N818 - not a fault: a processor decided to stop the run
    """A processor called ``args.abort(reason)``.

    Args:
        reason: The processor's own words.
        processor_id: The ``id`` of the processor that stopped the run.
        hook: The hook in which it did.
    """

    def __init__(self, reason: str, processor_id: str, hook: str) -> None:
        self.reason = reason
        self.processor_id = processor_id
        self.hook = hook
        super().__init__(f"processor {processor_id!r} stopped the run in {hook}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return (RunAborted, (self.reason, self.processor_id, self.hook))
