"""All examples of the oracle."""

from tests.oracle.case import Case
from tests.oracle.cases_anthropic import ANTHROPIC_CASES
from tests.oracle.cases_anthropic_media import ANTHROPIC_MEDIA_CASES
from tests.oracle.cases_bedrock import BEDROCK_CASES
from tests.oracle.cases_cohere import COHERE_CASES
from tests.oracle.cases_gemini import GEMINI_CASES
from tests.oracle.cases_ollama import OLLAMA_CASES
from tests.oracle.cases_openai import OPENAI_CASES
from tests.oracle.cases_responses import RESPONSES_CASES

CASES: tuple[Case, ...] = (
    *ANTHROPIC_CASES,
    *ANTHROPIC_MEDIA_CASES,
    *BEDROCK_CASES,
    *COHERE_CASES,
    *GEMINI_CASES,
    *OLLAMA_CASES,
    *OPENAI_CASES,
    *RESPONSES_CASES,
)
