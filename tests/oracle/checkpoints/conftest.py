"""The model of the tests of a conversion: its weights as upstream names them, those of GPT-2, its logits."""

import pytest

import upstream as megatron
from conversion import logits, reference


@pytest.fixture(scope="module")
def gpt2():
    w = megatron.weights()
    return w, megatron.to_gpt2(w), logits(reference(w))
