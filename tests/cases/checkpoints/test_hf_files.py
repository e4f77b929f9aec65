"""G08, G10, G13, G15: safetensors files, their index, tied heads."""

import json

import pytest
import torch

import tiny

POINTER = ("version https://git-lfs.github.com/spec/v1\n"
           "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 548105171\n")
PAGE = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"


def test_g08_files_of_another_kind(command, tmp_path):
    tiny.write_hf(tmp_path / "hf")
    path = tmp_path / "hf" / "model.safetensors"
    good = path.read_bytes()
    command.convert(tmp_path / "hf")
    path.write_text(POINTER)
    message = command.refusals(tmp_path / "hf")
    assert "git-lfs pointer" in message and "git lfs pull" in message
    path.write_text(PAGE)
    message = command.refusals(tmp_path / "hf")
    assert "not safetensors" in message and "HTML" in message
    path.write_bytes(good[:-8])
    assert f"truncated: need {len(good)}, have {len(good) - 8} bytes" in command.refusals(tmp_path / "hf")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "run.h5"])
def test_g08_other_readers_know_them_too(command, tmp_path, name):
    for text, words in ((POINTER, "git-lfs pointer"), (PAGE, "HTML")):
        (tmp_path / name).write_text(text)
        done = command.run("show", tmp_path / name)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def entry(shape, offsets, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


F = [2, 2]  # 16 bytes
NONSENSE = {
    "reversed": ({"bad.one": entry(F, [16, 0])}, "bad.one"),
    "negative": ({"bad.one": entry(F, [-16, 0])}, "bad.one"),
    "past the end": ({"bad.one": entry([4, 2], [0, 32])}, "bad.one|truncated"),
    "overlapping": ({"fine": entry(F, [0, 16]), "bad.one": entry(F, [8, 24])}, "bad.one"),
    "with a gap": ({"fine": entry([2], [0, 8]), "bad.one": entry([1], [12, 16])}, "bad.one"),
    "huge shape": ({"bad.one": entry([2**62, 4], [0, 16])}, "bad.one"),
    "shape against size": ({"bad.one": entry([2, 3], [0, 16])}, "bad.one"),
    "unknown dtype": ({"bad.one": entry(F, [0, 16], "BF17")}, "bad.one.*BF17|BF17.*bad.one"),
    "list": ([1, 2], "header"),
    "metadata null": ({"__metadata__": None, "x": entry(F, [0, 16])}, "__metadata__"),
    "metadata number": ({"__metadata__": 5, "x": entry(F, [0, 16])}, "__metadata__"),
    "metadata nested": ({"__metadata__": {"a": {"b": "c"}}, "x": entry(F, [0, 16])}, "__metadata__"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_g10_nonsense_in_the_header(command, tmp_path, name):
    import re
    header, words = NONSENSE[name]
    tiny.write_config(tmp_path / "hf")
    (tmp_path / "hf" / "model.safetensors").write_bytes(tiny.safetensors_bytes(header, bytes(24 if name == "overlapping" else 16)))
    message = command.refusals(tmp_path / "hf")
    assert re.search(words, message), message
    done = command.run("show", tmp_path / "hf" / "model.safetensors")
    assert done.returncode == 2 and re.search(words, done.stderr), done.stderr


def test_g10_legal_variants(command, tmp_path):
    header = {"last": entry([2], [8, 16]), "first": entry([2], [0, 8])}
    (tmp_path / "order.safetensors").write_bytes(tiny.safetensors_bytes(header, bytes(16)))
    assert "2 tensors, 4 elements" in command.run("show", tmp_path / "order.safetensors").stdout
    for dtype in (torch.bfloat16, torch.float16, torch.bool, torch.int64, torch.uint8):
        tiny.write_safetensors(tmp_path / "types.safetensors", {"x": torch.ones(3, dtype=dtype), "y": torch.ones(2)})
        assert "2 tensors, 5 elements" in command.run("show", tmp_path / "types.safetensors").stdout, dtype


def test_g10_order_of_the_offsets_does_not_matter(command, tmp_path):
    state = tiny.to_hf(tiny.thirds())
    tiny.write_hf(tmp_path / "a", state)
    tiny.write_config(tmp_path / "b")
    header, data = {}, b""
    for name, tensor in state.items():
        header[name] = entry(list(tensor.shape), [len(data), len(data) + tensor.nbytes])
        data += tiny.raw(tensor)
    header = dict(reversed(header.items()))
    (tmp_path / "b" / "model.safetensors").write_bytes(tiny.safetensors_bytes(header, data))
    first, _ = command.convert(tmp_path / "a")
    second, _ = command.convert(tmp_path / "b")
    assert (first / "model.safetensors").read_bytes() == (second / "model.safetensors").read_bytes()


def write_shards(folder):
    tiny.write_config(folder)
    state = tiny.to_hf(tiny.thirds())
    names = list(state)
    shards = {"model-00001-of-00002.safetensors": names[:14], "model-00002-of-00002.safetensors": names[14:]}
    for file, keys in shards.items():
        tiny.write_safetensors(folder / file, {key: state[key] for key in keys})
    index = {"metadata": {"total_size": sum(tensor.nbytes for tensor in state.values())},
             "weight_map": {key: file for file, keys in shards.items() for key in keys}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return [folder / file for file in shards]


def test_g13_index_names_a_shard_that_is_not_there(command, tmp_path):
    first, second = write_shards(tmp_path / "hf")
    command.convert(tmp_path / "hf")
    kept = second.read_bytes()
    second.unlink()
    assert second.name in command.refusals(tmp_path / "hf")
    done = command.run("record", "gpt", "--load", tmp_path / "hf", "-o", tmp_path / "run.h5", "--seq", 5)
    assert done.returncode == 2 and second.name in done.stderr and not list(tmp_path.glob("run.h5*"))
    second.write_bytes(first.read_bytes())
    assert f"not in {second.name}" in command.refusals(tmp_path / "hf")
    second.write_bytes(kept)
    (tmp_path / "hf" / "model-00003-of-00003.safetensors").write_bytes(kept)
    assert "model-00003-of-00003.safetensors" in command.refusals(tmp_path / "hf")


def test_g13_folders_without_a_checkpoint(command, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "no checkpoint here" in command.refusals(tmp_path / "empty")
    tiny.write_config(tmp_path / "folder")
    (tmp_path / "folder" / "model.safetensors").mkdir()
    message = command.refusals(tmp_path / "folder")
    assert "model.safetensors" in message and "is a folder" in message


# G15: which of the two names of a tied tensor is there, and whether the configuration ties them.

EMBEDDING, HEAD = "transformer.wte.weight", "lm_head.weight"


def tied_case(folder, *, names, tie, same):
    state = tiny.to_hf(tiny.thirds())
    if same:
        state[HEAD] = state[EMBEDDING]
    for name in (EMBEDDING, HEAD):
        if name not in names:
            del state[name]
    tiny.write_hf(folder, state, tie_word_embeddings=tie)
    return state


def transformers_embedding(folder):
    import transformers
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    head, words = model.get_output_embeddings().weight, model.get_input_embeddings().weight
    assert head is words or torch.equal(head, words)
    return words.detach()


@pytest.mark.parametrize("names, same, warned", [([EMBEDDING], True, False), ([HEAD], True, False),
                                                 ([EMBEDDING, HEAD], True, False), ([EMBEDDING, HEAD], False, True)],
                         ids=["embedding", "head", "both", "different"])
def test_g15_tied(command, tmp_path, names, same, warned):
    state = tied_case(tmp_path / "hf", names=names, tie=True, same=same)
    folder, notes = command.convert(tmp_path / "hf")
    assert ("tied but different" in notes) == warned
    assert torch.equal(transformers_embedding(folder), state.get(EMBEDDING, state.get(HEAD)))
    command.convert(tmp_path / "hf", "megatron")
    done = command.run("record", "gpt", "--load", tmp_path / "hf", "-o", tmp_path / "run.h5", "--seq", 5)
    assert done.returncode == 0 and ("tied but different" in done.stderr) == warned, done.stderr


def test_g15_untied_without_a_head(command, tmp_path):
    tied_case(tmp_path / "hf", names=[EMBEDDING], tie=False, same=True)
    assert "1 missing: lm_head.weight" in command.refusal(tmp_path / "hf")
    done = command.run("record", "gpt", "--load", tmp_path / "hf", "-o", tmp_path / "run.h5", "--seq", 5)
    assert done.returncode == 2 and "1 missing: lm_head.weight" in done.stderr
    assert not list(tmp_path.glob("run.h5*"))
