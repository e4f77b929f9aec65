"""What gtrace convert refuses: one line, exit 2, nothing left behind."""

import fractions
import json
import shutil

import torch

import upstream as megatron
from conversion import raw, reference, refusal, run


def test_renamed_keys_are_listed_exactly(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0])
    path = tmp_path / "m" / "global_step7" / "layer_04-model_00-model_states.pt"
    content = torch.load(path, weights_only=True)
    content["layernorm_mlp.fc1_weight"] = content.pop("mlp.dense_h_to_4h.weight")
    content["_extra_state"] = torch.zeros(1, dtype=torch.uint8)
    torch.save(content, path)
    message = refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")
    assert "1 missing: layers.1.mlp.dense_h_to_4h.weight" in message
    assert "1 unexpected: layer_04 layernorm_mlp.fc1_weight" in message


def test_shards_that_do_not_belong_together(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0], 2)
    step = tmp_path / "m" / "global_step7"
    path = step / "layer_04-model_01-model_states.pt"
    content = torch.load(path, weights_only=True)
    content["input_layernorm.weight"] += 1
    torch.save(content, path)
    message = refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")
    assert "layer_04 input_layernorm.weight: differs between tensor-parallel ranks 0 and 1" in message
    run(tmp_path / "m", tmp_path / "first", "--to", "hf", "--replicas", "first")
    path.unlink()
    assert "files that are missing, 1: layer_04-model_01-model_states.pt" in refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")


def test_damaged_files_leave_nothing(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0])
    path = tmp_path / "m" / "global_step7" / "layer_05-model_00-model_states.pt"
    good = path.read_bytes()
    weight = raw(torch.load(path, weights_only=True)["mlp.dense_h_to_4h.weight"])
    at = good.index(weight) + 1000
    path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
    assert "CRC mismatch in" in refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")
    path.write_bytes(good[: len(good) // 2])
    assert f"truncated ({len(good) // 2} bytes)" in refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")
    path.write_bytes(b"")
    assert "empty file" in refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")


def test_options_without_partner_are_named(tmp_path, gpt2):
    cases = {"glu-activation swiglu": {"glu_activation": "swiglu"}, "rotary": {"position_embedding_type": "rope"},
             "embed-layernorm": {"embed_layernorm": True}, "loss-on-targets-only": {"loss_on_targets_only": True}}
    for i, (words, change) in enumerate(cases.items()):
        args = megatron.arguments(gpt2[0], 1)
        for name, value in change.items():
            setattr(args, name, value)
        w = dict(gpt2[0])
        if "glu_activation" in change:
            for name in [n for n in w if "dense_h_to_4h" in n]:
                w[name] = torch.cat([w[name], w[name]])
            args.ffn_hidden_size = megatron.FFN
        if words == "rotary":
            del w["position_embeddings.weight"]
        if words == "embed-layernorm":
            w |= {"word_embeddings.norm.weight": torch.ones(megatron.HIDDEN), "word_embeddings.norm.bias": torch.ones(megatron.HIDDEN)}
        megatron.write_pipe(tmp_path / f"m{i}", w, args=args)
        assert words in refusal(tmp_path / f"m{i}", tmp_path / "out", "--to", "hf")


def test_unknown_classes_can_be_passed_over(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0])
    path = tmp_path / "m" / "global_step7" / "mp_rank_00_model_states.pt"
    content = torch.load(path, weights_only=False)
    content["optimizer"] = fractions.Fraction(1, 2)
    torch.save(content, path)
    assert "fractions.Fraction" in refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")
    run(tmp_path / "m", tmp_path / "out", "--to", "hf", "--skip-unknown")


def test_hostile_folders(tmp_path, gpt2):
    reference(gpt2[0]).save_pretrained(tmp_path / "hf", max_shard_size="40KB")
    shards = sorted((tmp_path / "hf").glob("model-*.safetensors"))
    moved = shards[1].rename(tmp_path / "kept")
    assert shards[1].name in refusal(tmp_path / "hf", tmp_path / "out", "--to", "hf")
    shutil.copy(shards[0], shards[1])
    assert f"not in {shards[1].name}" in refusal(tmp_path / "hf", tmp_path / "out", "--to", "hf")
    shutil.move(moved, shards[1])
    shutil.copy(shards[0], tmp_path / "hf" / "model-00099-of-00099.safetensors")
    assert "does not name these shards" in refusal(tmp_path / "hf", tmp_path / "out", "--to", "hf")
    (tmp_path / "empty").mkdir()
    assert "no checkpoint here" in refusal(tmp_path / "empty", tmp_path / "out", "--to", "hf")
    (tmp_path / "folder" / "model.safetensors").mkdir(parents=True)
    assert "is a folder" in refusal(tmp_path / "folder", tmp_path / "out", "--to", "hf")
    assert "no such file" in refusal(tmp_path / "absent", tmp_path / "out", "--to", "hf")


def test_numbers_of_a_hostile_configuration(tmp_path, gpt2):
    reference(gpt2[0]).save_pretrained(tmp_path / "hf")
    config = json.loads((tmp_path / "hf" / "config.json").read_text())
    for change, words in (({"n_layer": 2**31}, "said to have 2147483648 layers"), ({"n_layer": 2**31 + 1}, "number of layers is"),
                          ({"n_layer": 4}, "12 missing: transformer.h.3.ln_1.weight"), ({"n_embd": 64}, "the configuration needs"),
                          ({"n_head": 0}, "number of heads is 0"), ({"vocab_size": -1}, "vocabulary size is -1")):
        (tmp_path / "hf" / "config.json").write_text(json.dumps(config | change))
        assert words in refusal(tmp_path / "hf", tmp_path / "out", "--to", "megatron")
    for value in (2**62, 1, -1):
        args = megatron.arguments(gpt2[0], 1)
        args.kv_channels = value
        megatron.write_pipe(tmp_path / f"m{value}", gpt2[0], args=args)
        assert "kv-channels" in refusal(tmp_path / f"m{value}", tmp_path / "out", "--to", "hf")


def test_file_names_that_count_to_a_million(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0])
    step = tmp_path / "m" / "global_step7"
    shutil.copy(step / "layer_07-model_00-model_states.pt", step / "layer_999999-model_999999-model_states.pt")
    assert "more than 20" in refusal(tmp_path / "m", tmp_path / "out", "--to", "hf")


def test_the_target_is_never_overwritten(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    assert "not empty" in run(tmp_path / "m", tmp_path / "out", "--to", "hf", code=2).stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]
    (tmp_path / "out" / "mine").unlink()
    run(tmp_path / "m", tmp_path / "out", "--to", "hf")
    for bad in (["--tp", 3], ["--pad-vocab-size-to", 50], ["--pad-vocab-size-to", 101, "--tp", 2]):
        assert refusal(tmp_path / "out", tmp_path / "no", "--to", "megatron", *bad)
