"""What tests of a conversion share: the command, comparisons bit by bit, and the reference conversion."""

import os
import pathlib
import subprocess

import torch
import transformers

import upstream as megatron

GTRACE = pathlib.Path(os.environ["GOLDENTRACE_BIN"]) / "gtrace"
IDS = torch.arange(40).reshape(2, 20) * 7 % megatron.VOCAB


def run(*arguments, code=0):
    done = subprocess.run([GTRACE, "convert", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    if code != 0:
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
    return done


def refusal(*arguments):
    target = pathlib.Path(arguments[1])
    message = run(*arguments, code=2).stderr
    assert not target.exists() and not list(target.parent.glob(target.name + ".partial*")), "something was left behind"
    return message


def raw(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def assert_same_state(found, wanted):
    assert set(found) == set(wanted)
    for name, tensor in wanted.items():
        assert found[name].dtype == tensor.dtype and found[name].shape == tensor.shape, name
        assert raw(found[name]) == raw(tensor), name


def logits(model):
    with torch.no_grad():
        return model.eval()(IDS).logits


def load(folder):
    model, report = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True, dtype="auto",
                                                                      attn_implementation="eager")
    assert not report["missing_keys"] and not report["unexpected_keys"] and not report["mismatched_keys"], report
    return model


def reference(w, bloom=False):
    if bloom:
        config = transformers.BloomConfig(vocab_size=megatron.VOCAB, hidden_size=megatron.HIDDEN, n_layer=megatron.LAYERS,
                                          n_head=megatron.HEADS)
        model, state = transformers.BloomForCausalLM(config), megatron.to_bloom(w)
    else:
        config = transformers.GPT2Config(vocab_size=megatron.VOCAB, n_positions=megatron.POSITIONS, n_embd=megatron.HIDDEN,
                                         n_layer=megatron.LAYERS, n_head=megatron.HEADS, n_inner=megatron.FFN,
                                         activation_function="gelu_fast")
        config._attn_implementation = "eager"
        model, state = transformers.GPT2LMHeadModel(config), megatron.to_gpt2(w)
    model = model.to(next(iter(w.values())).dtype)
    state["lm_head.weight"] = state[next(iter(state))]
    model.load_state_dict(state)
    return model


def megatron_tensors(folder):
    """Every tensor of every file, read by torch without any class of its own."""
    tensors = {}

    def walk(prefix, value):
        if isinstance(value, torch.Tensor):
            tensors[prefix] = value
        elif isinstance(value, dict):
            for key, member in value.items():
                walk(f"{prefix}/{key}", member)

    for path in sorted(folder.rglob("*.pt")):
        name = path.name if "global_step" in str(path) else path.parent.name
        if path.name.startswith("mp_rank"):
            assert torch.load(path, weights_only=True)["args"]["hidden_size"] == megatron.HIDDEN
            continue
        content = torch.load(path, weights_only=True)
        walk(name, content if "layer_" in path.name else content["model"])
    return tensors
