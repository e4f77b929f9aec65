"""The MLP trainer against Python torch: losses of every step and the 10 output rows, bit for bit."""

import pytest
import torch

import judge
import mlp_reference


def check(folder, input_dim, micros, dtype=torch.float32, samples=8192, **settings):
    ours, _ = judge.run("mlp", folder, input_dim=input_dim, micros=micros, samples=samples,
                        dtype=str(dtype).removeprefix("torch."), **settings)
    losses, micro_losses, output = mlp_reference.train(input_dim, micros, samples=samples, dtype=dtype)
    assert len(losses) == samples // (128 * micros)
    theirs = {"losses": losses, "micro_losses": micro_losses, "evaluation": output}
    judge.assert_equal_bits(ours, theirs, at_least=3)


@pytest.mark.parametrize("input_dim", [64, 512])
@pytest.mark.parametrize("micros", [1, 8])
def test_float32(tmp_path, input_dim, micros):
    check(tmp_path, input_dim, micros)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_dtypes(tmp_path, dtype):
    check(tmp_path, 64, 1, dtype, samples=2048)
    check(tmp_path, 64, 4, dtype)


def test_two_threads(tmp_path):
    torch.set_num_threads(2)
    try:
        check(tmp_path, 512, 8, threads=2)
    finally:
        torch.set_num_threads(judge.THREADS)


def test_an_odd_width_and_a_remainder(tmp_path):
    check(tmp_path, 33, 3, samples=5000)
