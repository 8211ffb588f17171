"""A language model of a few thousand random numbers, which makes a real server serve a chat template."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import gguf
import numpy as np

_WIDTH: Final = 32
_HEADS: Final = 2
_CONTEXT: Final = 8192
# What llama.cpp's tokenizer asks for at least: three special tokens, and each byte as one.
_SPECIAL: Final = (b"<unk>", b"<s>", b"</s>")
_TOKENS: Final = [*_SPECIAL, *(f"<0x{byte:02X}>".encode() for byte in range(256))]
_TYPES: Final = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2, *[gguf.TokenType.BYTE] * 256]


def write_model(path: Path, template: str) -> None:
    """Write a model file with this chat template. What the model says means nothing.

    Args:
        path: The file to write.
        template: The text of the template, in Jinja.
    """
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_feed_forward_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_head_count(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(_TOKENS)
    writer.add_token_scores([0.0] * len(_TOKENS))
    writer.add_token_types(_TYPES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(template)
    random = np.random.default_rng(0)
    for name, rows in {
        "token_embd": len(_TOKENS),
        "output": len(_TOKENS),
        **{f"blk.0.attn_{part}": _WIDTH for part in ("q", "k", "v", "output")},
        **{f"blk.0.ffn_{part}": _WIDTH for part in ("gate", "up", "down")},
    }.items():
        weights = random.normal(scale=0.02, size=(rows, _WIDTH)).astype(np.float32)
        writer.add_tensor(f"{name}.weight", weights)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(_WIDTH, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
