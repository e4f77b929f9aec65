"""The Megatron shape against the Hugging Face shape with the same weights: where they part first, and how much. Figures
are shares of unequal elements at that tap, measured with another implementation on another processor."""

import pytest
import torch

import judge
import shape_pair

TENSORS = shape_pair.draw()
# No id twice: a token that returns makes the averages of attention larger.
IDS = torch.randperm(1031, generator=torch.Generator().manual_seed(3))[:1024].view(4, 256)
EMULATED = dict(half_mode="emulated")


def on(*switches):
    return {f"megatron_mode.{name}": True for name in switches}


def parting(folder, dtype, numerics=None, megatron=None, **hf):
    shape_pair.write(folder, TENSORS)
    inputs = judge.save_inputs(folder, IDS)
    ours = shape_pair.run_megatron(folder, inputs, dtype, **(numerics or {}), **(megatron or {}))
    theirs = shape_pair.run_hf(folder, inputs, dtype, **(numerics or {}), **hf)
    separate = "megatron_mode" in hf or "megatron_mode.bias" in hf
    pairs = list(shape_pair.paired(ours, theirs, TENSORS, separate))
    return shape_pair.first_difference(pairs), shape_pair.first_difference(pairs[-2:-1])


def check(found, tap, share, slack=0.03):
    assert found is not None and found[0] == tap, found
    assert abs(found[1] - share) <= slack, found


ROWS = {"none, 4.x": dict(score_rule="divide"), "none, 5.x": {}, "gelu, scores": on("gelu", "scores"),
        "+ bias": on("gelu", "scores", "bias"), "+ bda": on("gelu", "scores", "bias", "bda"),
        "all": dict(megatron_mode=True)}


@pytest.fixture
def avx2(monkeypatch):
    """How many elements a bias added inside the product changes rests on the order in which the product sums, which MKL
    chooses by the processor: the figures are those of its AVX2 kernels, 0.43; its AVX-512 kernels give 0.32."""
    monkeypatch.setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2")


FLOAT32 = [("none, 4.x", "L0 scores", 0.41), ("none, 5.x", "L0 scores", 0.40), ("gelu, scores", "L0 mlp out", 0.43),
           ("+ bias", None, 0), ("+ bda", None, 0), ("all", None, 0)]


@pytest.mark.parametrize("row, tap, share", FLOAT32)
def test_float32(tmp_path, avx2, row, tap, share):
    first, logits = parting(tmp_path, "float32", **ROWS[row])
    if tap is None:
        assert first is None
        return
    check(first, tap, share)
    assert logits[1] > 0.8 and logits[2] < 2e-6


@pytest.mark.parametrize("row, tap, share", FLOAT32)
def test_float32_on_the_kernels_of_this_processor(tmp_path, row, tap, share):
    """The tap is the same whatever the kernels, and so is that nothing differs."""
    first, _ = parting(tmp_path, "float32", **ROWS[row])
    assert (first and first[0]) == tap, first
    assert tap is None or 0.2 < first[1] < 0.5, first


def sums_by_orientation(dtype):
    """Whether this processor's kernels sum a product with a weight in another order when it is stored transposed, as
    those for half types do where it has no instructions for them: then linear and Conv1D are not bit-equal anywhere."""
    generator = torch.Generator().manual_seed(1)
    x, weight = (torch.randn(shape, generator=generator).to(dtype) for shape in ((1024, 128), (128, 384)))
    return not torch.equal(torch.mm(x, weight), torch.nn.functional.linear(x, weight.t().contiguous()))


BF16_BY_ORIENTATION = sums_by_orientation(torch.bfloat16)


def check_first_product(first):
    """What orientation does: a few elements of the first product, whatever the switches."""
    assert first is not None and first[0] == "L0 qkv" and first[1] < 1e-3, first


@pytest.mark.parametrize("dtype, numerics, row, tap, share", [
    ("bfloat16", {}, "none, 4.x", "L0 scores", 0.134), ("bfloat16", {}, "none, 5.x", "L0 scores", 0.134),
    ("bfloat16", {}, "gelu, scores", "L0 attention out", 0.143),
    ("bfloat16", {}, "+ bias", "L0 attention residual", 0.216),
    ("bfloat16", {}, "+ bda", None, 0), ("bfloat16", {}, "all", None, 0),
    ("float16", EMULATED, "none, 4.x", "L0 scores", 0.146), ("float16", EMULATED, "none, 5.x", "L0 scores", 0.134),
    ("float16", EMULATED, "gelu, scores", "L0 attention out", 0.144),
    ("float16", EMULATED, "+ bias", "L0 attention residual", 0.216),
    ("float16", EMULATED, "+ bda", None, 0), ("float16", EMULATED, "all", None, 0)])
def test_half(tmp_path, dtype, numerics, row, tap, share):
    first, logits = parting(tmp_path, dtype, numerics, **ROWS[row])
    if dtype == "bfloat16" and BF16_BY_ORIENTATION:
        return check_first_product(first)
    if tap is None:
        assert first is None
        return
    check(first, tap, share)
    if dtype == "bfloat16":
        check(logits, "logits", 0.718, 0.03)


def test_moments_in_half(tmp_path):
    first, _ = parting(tmp_path, "float16", EMULATED, ln_variant="half-moments", **ROWS["+ bda"])
    check(first, "L0 ln_1", 0.335)


def test_without_fusions(tmp_path):
    """Megatron op by op against its own GELU, separate biases and two roundings."""
    for dtype in ("float32", "bfloat16"):
        first, _ = parting(tmp_path, dtype, megatron={"bias_dropout_fusion": False, "bias_gelu_fusion": False,
                                                      "openai_gelu": True},
                           activation_function="gelu_fast", **on("scores", "bias"))
        if dtype == "bfloat16" and BF16_BY_ORIENTATION:
            check_first_product(first)
        else:
            assert first is None, first


def test_layer_numbers_scale_scores(tmp_path):
    """Four layers: in the pipe layout the coefficients are 1, 1, 2, 3, in the classic one 1, 2, 3, 4. What is not a
    power of two rounds."""
    tensors = shape_pair.draw(layers=4)
    shape_pair.write(tmp_path, tensors)
    inputs = judge.save_inputs(tmp_path, IDS[:, :64])
    for layout, first in (("pipe", 3), ("classic", 2)):
        plain, scaled = (shape_pair.run_megatron(tmp_path, inputs, "float32", layers=4, layout=layout,
                                                 apply_query_key_layer_scaling=scaling) for scaling in (False, True))
        for i in range(4):
            number = max(1, i + (layout == "classic"))
            name = f"tap.layers.{i}.self_attention.scores"
            probs = name.replace("scores", "probs")
            if i < first:
                assert torch.equal(plain[name], scaled[name] * number)
                assert torch.equal(plain[probs], scaled[probs])
        name = f"tap.layers.{first}.self_attention.scores"
        unequal = (plain[name] != scaled[name] * 3).double().mean().item()
        assert 0.3 < unequal < 0.9, unequal  # rests on the kernel: 0.42 with MKL's AVX-512, 0.81 with its AVX2


@pytest.mark.parametrize("dtype, numerics", [("float32", {}), ("float16", EMULATED)])
@pytest.mark.parametrize("side", ["right", "left"])
def test_padding(tmp_path, dtype, numerics, side):
    """A padding mask on both sides; on the left the first rows see no key at all."""
    mask = torch.ones_like(IDS)
    for row, count in enumerate((0, 3, 17, 100)):
        if count:
            mask[row, -count if side == "right" else 0:None if side == "right" else count] = 0
    shape_pair.write(tmp_path, TENSORS)
    inputs = judge.save_inputs(tmp_path, IDS, mask)
    # The kernel that Megatron would take for half types gives such rows zeros instead.
    ours = shape_pair.run_megatron(tmp_path, inputs, dtype, masked_softmax_fusion=False, **numerics)
    theirs = shape_pair.run_hf(tmp_path, inputs, dtype, megatron_mode=True, **numerics)
    assert shape_pair.first_difference(shape_pair.paired(ours, theirs, TENSORS, True)) is None
    assert (ours["tap.layers.0.self_attention.probs"][1, :, -1, -3 if side == "right" else 0] == 0).all()
