"""Tests of the compat rules, the provider rows, and the processor that applies them."""
