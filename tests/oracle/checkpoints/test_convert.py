"""gtrace convert against transformers: checkpoints in the upstream layouts by upstream.py, converted, loaded without
help, compared with the reference conversion; and back again, byte for byte."""

import json
import shutil

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

import upstream as megatron
from conversion import assert_same_state, load, logits, megatron_tensors, reference, refusal, run

CASES = [("pipe", 2, tp) for tp in (1, 2, 4)] + [("classic", version, tp) for version in range(4) for tp in (1, 2, 4)]


def without_arguments(folder, source):
    """The source again without its Namespace, which weights_only refuses, under the names of today."""
    plain = folder / "plain"
    shutil.copytree(source, plain)
    for path in plain.rglob("mp_rank*model_states.pt"):
        path.unlink()
    for path in plain.rglob("model_optim_rng.pt"):
        torch.save({"model": torch.load(path, weights_only=False)["model"]}, path)
    return {name.replace("/transformer/", "/encoder/").replace(".attention.", ".self_attention."): tensor
            for name, tensor in megatron_tensors(plain).items()}


@pytest.mark.parametrize("layout,version,tp", CASES)
def test_gpt2_there_and_back(tmp_path, gpt2, layout, version, tp):
    w, state, wanted = gpt2
    source = tmp_path / "megatron"
    if layout == "pipe":
        megatron.write_pipe(source, w, tp)
    else:
        megatron.write_classic(source, w, tp, version)
    run(source, tmp_path / "hf", "--to", "hf")
    assert_same_state(load_file(tmp_path / "hf" / "model.safetensors"), state)
    if tp == 2:
        assert torch.equal(logits(load(tmp_path / "hf")), wanted)
    back = ["--layout", layout, "--tp", tp, "--make-vocab-size-divisible-by", 16]
    run(tmp_path / "hf", tmp_path / "back", "--to", "megatron", *back, *(["--checkpoint-version", version] if layout == "classic" else []))
    assert_same_state(megatron_tensors(tmp_path / "back"), without_arguments(tmp_path, source))


@pytest.mark.parametrize("layout,version,tp", CASES)
def test_bloom_there_and_back(tmp_path, layout, version, tp):
    w = megatron.weights(bloom=True)
    if layout == "pipe":
        megatron.write_pipe(tmp_path / "m", w, tp, bloom=True)
    else:
        megatron.write_classic(tmp_path / "m", w, tp, version, bloom=True)
    run(tmp_path / "m", tmp_path / "hf", "--to", "hf")
    assert_same_state(load_file(tmp_path / "hf" / "model.safetensors"), megatron.to_bloom(w))
    if tp == 2:
        assert torch.equal(logits(load(tmp_path / "hf")), logits(reference(w, bloom=True)))
    back = ["--layout", layout, "--tp", tp, "--make-vocab-size-divisible-by", 16]
    run(tmp_path / "hf", tmp_path / "back", "--to", "megatron", *back, *(["--checkpoint-version", version] if layout == "classic" else []))
    assert_same_state(megatron_tensors(tmp_path / "back"), without_arguments(tmp_path, tmp_path / "m"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_bloom_of_half_types(tmp_path, dtype):
    w = megatron.weights(dtype, bloom=True)
    megatron.write_pipe(tmp_path / "m", w, 2, bloom=True)
    run(tmp_path / "m", tmp_path / "hf", "--to", "hf")
    model = load(tmp_path / "hf")
    assert model.config.model_type == "bloom" and model.dtype == dtype
    assert torch.equal(logits(model), logits(reference(w, bloom=True)))
    run(tmp_path / "hf", tmp_path / "back", "--to", "megatron", "--tp", 2, "--make-vocab-size-divisible-by", 16)
    assert_same_state(megatron_tensors(tmp_path / "back"), without_arguments(tmp_path, tmp_path / "m"))


def test_classic_to_pipe_changes_order_and_degree(tmp_path, gpt2):
    megatron.write_classic(tmp_path / "a", gpt2[0], 4, 1)
    run(tmp_path / "a", tmp_path / "b", "--to", "megatron", "--tp", 2, "--make-vocab-size-divisible-by", 16)
    megatron.write_pipe(tmp_path / "c", gpt2[0], 2)
    for path in (tmp_path / "c").rglob("mp_rank*"):
        path.unlink()
    assert_same_state(megatron_tensors(tmp_path / "b"), megatron_tensors(tmp_path / "c"))


def test_transformers_files_come_back_bit_for_bit(tmp_path):
    config = transformers.GPT2Config(vocab_size=101, n_positions=16, n_embd=32, n_layer=2, n_head=4,
                                     tie_word_embeddings=False)
    torch.manual_seed(3)
    model = transformers.GPT2LMHeadModel(config).half()
    model.save_pretrained(tmp_path / "hf")
    run(tmp_path / "hf", tmp_path / "m", "--to", "megatron", "--layout", "classic", "--checkpoint-version", 1, "--tp", 4)
    run(tmp_path / "m", tmp_path / "again", "--to", "hf")
    assert_same_state(load_file(tmp_path / "again" / "model.safetensors"), load_file(tmp_path / "hf" / "model.safetensors"))
    assert load(tmp_path / "again").config.activation_function == "gelu_new"


def test_shards_and_their_index(tmp_path):
    config = transformers.GPT2Config(vocab_size=4000, n_positions=64, n_embd=128, n_layer=3, n_head=4)
    model = transformers.GPT2LMHeadModel(config)
    model.save_pretrained(tmp_path / "hf", max_shard_size="1MB")
    assert (tmp_path / "hf" / "model.safetensors.index.json").exists()
    run(tmp_path / "hf", tmp_path / "again", "--to", "hf", "--shard-size", 1)
    shards = sorted((tmp_path / "again").glob("model-*.safetensors"))
    assert len(shards) > 2 and all(shard.stat().st_size < 2.2e6 for shard in shards)
    found = {name: tensor for shard in shards for name, tensor in load_file(shard).items()}
    assert_same_state(found, {k: v for k, v in model.state_dict().items() if k != "lm_head.weight"})
    assert torch.equal(logits(load(tmp_path / "again")), logits(load(tmp_path / "hf")))


def test_bin_files_and_keys_without_prefix(tmp_path, gpt2):
    _, state, wanted = gpt2
    reference(gpt2[0]).save_pretrained(tmp_path / "hf")
    (tmp_path / "hf" / "model.safetensors").unlink()
    bare = {k.removeprefix("transformer."): v for k, v in state.items()}
    for i in range(megatron.LAYERS):
        bare[f"h.{i}.attn.bias"] = torch.ones(1, 1, 24, 24, dtype=torch.uint8)
        bare[f"h.{i}.attn.masked_bias"] = torch.tensor(-1e4)
    torch.save(bare, tmp_path / "hf" / "pytorch_model.bin")
    done = run(tmp_path / "hf", tmp_path / "again", "--to", "hf")
    assert "6 mask buffers" in done.stderr
    assert torch.equal(logits(load(tmp_path / "again")), wanted)


def test_checkpoints_without_arguments(tmp_path, gpt2):
    megatron.write_classic(tmp_path / "m", gpt2[0], 2, 0, with_args=False)
    assert "--heads" in refusal(tmp_path / "m", tmp_path / "x", "--to", "hf")
    run(tmp_path / "m", tmp_path / "hf", "--to", "hf", "--heads", megatron.HEADS, "--vocab-size", megatron.VOCAB)
    assert_same_state(load_file(tmp_path / "hf" / "model.safetensors"), gpt2[1])
    run(tmp_path / "m", tmp_path / "padded", "--to", "hf", "--heads", megatron.HEADS)
    assert load(tmp_path / "padded").config.vocab_size == megatron.padded(megatron.VOCAB, 2)


def test_padding_is_kept_where_that_is_asked_for(tmp_path, gpt2):
    w = dict(gpt2[0])
    megatron.write_pipe(tmp_path / "m", w)
    path = tmp_path / "m" / "global_step7" / "layer_01-model_00-model_states.pt"
    content = torch.load(path, weights_only=True)
    content["word_embeddings.weight"][megatron.VOCAB:] = 7
    torch.save(content, path)
    run(tmp_path / "m", tmp_path / "hf", "--to", "hf", "--keep-padding")
    rows = megatron.padded(megatron.VOCAB, 1)
    run(tmp_path / "hf", tmp_path / "back", "--to", "megatron", "--pad-vocab-size-to", rows)
    for old in (tmp_path / "m").rglob("mp_rank*"):
        old.unlink()
    assert_same_state(megatron_tensors(tmp_path / "back"), megatron_tensors(tmp_path / "m"))


def test_untied_head(tmp_path):
    config = transformers.GPT2Config(vocab_size=99, n_positions=24, n_embd=32, n_layer=1, n_head=4, tie_word_embeddings=False)
    model = transformers.GPT2LMHeadModel(config)
    model.save_pretrained(tmp_path / "hf")
    for layout in ("pipe", "classic"):
        run(tmp_path / "hf", tmp_path / layout, "--to", "megatron", "--tp", 2, "--layout", layout)
        run(tmp_path / layout, tmp_path / f"{layout}-hf", "--to", "hf")
        assert_same_state(load_file(tmp_path / f"{layout}-hf" / "model.safetensors"), model.state_dict())


@pytest.mark.parametrize("kept,tied,code", [("wte", True, 0), ("head", True, 0), ("wte", False, 2), ("both", True, 0),
                                            ("different", True, 0)])
def test_tied_tensor_stored_once(tmp_path, gpt2, kept, tied, code):
    state = dict(gpt2[1])
    reference(gpt2[0]).save_pretrained(tmp_path / "hf")
    embedding = state["transformer.wte.weight"]
    if kept == "head":
        state["lm_head.weight"] = state.pop("transformer.wte.weight")
    if kept in ("both", "different"):
        state["lm_head.weight"] = embedding + (1 if kept == "different" else 0)
    save_file(state, tmp_path / "hf" / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((tmp_path / "hf" / "config.json").read_text())
    (tmp_path / "hf" / "config.json").write_text(json.dumps(config | {"tie_word_embeddings": tied}))
    if code == 2:
        assert "1 missing: lm_head.weight" in refusal(tmp_path / "hf", tmp_path / "out", "--to", "hf")
        return
    done = run(tmp_path / "hf", tmp_path / "out", "--to", "hf")
    assert ("tied but different" in done.stderr) == (kept == "different")
    assert torch.equal(load_file(tmp_path / "out" / "model.safetensors")["transformer.wte.weight"], embedding)


@pytest.mark.parametrize("tp", [2, 4])
def test_gated_mlp_shards_are_merged_half_by_half(tmp_path, gpt2, tp):
    w = dict(gpt2[0])
    generator = torch.Generator().manual_seed(5)
    for name in [n for n in w if "dense_h_to_4h" in n]:
        w[name] = torch.randn(2 * megatron.FFN, *w[name].shape[1:], generator=generator)
    args = megatron.arguments(w, 1, )
    args.glu_activation, args.ffn_hidden_size = "swiglu", megatron.FFN
    megatron.write_pipe(tmp_path / "whole", w, 1, args=args)
    run(tmp_path / "whole", tmp_path / "split", "--to", "megatron", "--tp", tp)
    first = torch.load(tmp_path / "split/global_step0/layer_03-model_01-model_states.pt", weights_only=True)
    halves = w["layers.0.mlp.dense_h_to_4h.weight"].chunk(2)
    assert torch.equal(first["mlp.dense_h_to_4h.weight"], torch.cat([half.chunk(tp)[1] for half in halves]))
    run(tmp_path / "split", tmp_path / "merged", "--to", "megatron", "--pad-vocab-size-to", megatron.padded(megatron.VOCAB, 1))
    for old in (tmp_path / "whole").rglob("mp_rank*"):
        old.unlink()
    assert_same_state(megatron_tensors(tmp_path / "merged"), megatron_tensors(tmp_path / "whole"))


def test_query_groups(tmp_path, gpt2):
    groups, size, queries = 2, megatron.SIZE, megatron.HEADS // 2
    w, generator = dict(gpt2[0]), torch.Generator().manual_seed(9)
    for name in [n for n in w if "query_key_value" in n]:
        w[name] = torch.randn(groups * (queries + 2) * size, *w[name].shape[1:], generator=generator)
    args = megatron.arguments(w, 1, num_query_groups=groups, group_query_attention=True)
    source = tmp_path / "m"
    original = megatron.rank_part
    megatron.rank_part = lambda name, tensor, *rest: tensor if "query_key_value" in name else original(name, tensor, *rest)
    try:
        megatron.write_pipe(source, w, args=args)
    finally:
        megatron.rank_part = original
    run(source, tmp_path / "hf", "--to", "hf")
    attention = load_file(tmp_path / "hf/model.safetensors")["transformer.h.0.attn.c_attn.weight"].t()
    grouped = w["layers.0.self_attention.query_key_value.weight"].reshape(groups, queries + 2, size, megatron.HIDDEN)
    q = grouped[:, :queries].reshape(-1, megatron.HIDDEN)
    k, v = (grouped[:, queries + i].repeat_interleave(queries, 0).reshape(-1, megatron.HIDDEN) for i in range(2))
    assert torch.equal(attention, torch.cat([q, k, v]))
    run(tmp_path / "hf", tmp_path / "back", "--to", "megatron", "--query-groups", groups, "--tp", 2)
    run(tmp_path / "back", tmp_path / "again", "--to", "megatron", "--pad-vocab-size-to", megatron.padded(megatron.VOCAB, 1))
    for old in source.rglob("mp_rank*"):
        old.unlink()
    assert_same_state(megatron_tensors(tmp_path / "again"), megatron_tensors(source))
    assert "differs within its group" in refusal(tmp_path / "hf", tmp_path / "out", "--to", "megatron", "--query-groups", 1)


def test_pipeline_stages_of_the_classic_layout(tmp_path, gpt2):
    w, state, _ = gpt2
    for stage, layers in enumerate([[0, 1], [2]]):
        place = tmp_path / "m" / "release" / f"mp_rank_00_{stage:03d}"
        place.mkdir(parents=True)
        encoder = {f"layers.{i}.{k.split('.', 2)[2]}": v for i, n in enumerate(layers) for k, v in w.items()
                   if k.startswith(f"layers.{n}.")}
        model = {"language_model": {"encoder": encoder}}
        rows = megatron.parts(w, 1, 0, 3)["word_embeddings.weight"]
        if stage == 0:
            model["language_model"]["embedding"] = {"word_embeddings": {"weight": rows},
                                                    "position_embeddings": {"weight": w["position_embeddings.weight"]}}
        else:
            encoder |= {k: v for k, v in w.items() if "final" in k}
            model["word_embeddings_for_head"] = {"weight": rows}
        torch.save({"args": megatron.arguments(w, 1), "checkpoint_version": 3.0, "checkpoint_info": megatron.info(1),
                    "model": model}, place / "model_optim_rng.pt")
    (tmp_path / "m" / "latest_checkpointed_iteration.txt").write_text("release\n")
    run(tmp_path / "m", tmp_path / "hf", "--to", "hf")
    assert_same_state(load_file(tmp_path / "hf" / "model.safetensors"), state)


def test_a_hundred_layers(tmp_path):
    w = megatron.weights(layers=101)
    megatron.write_pipe(tmp_path / "m", w)
    run(tmp_path / "m", tmp_path / "hf", "--to", "hf")
    assert_same_state(load_file(tmp_path / "hf" / "model.safetensors"), megatron.to_gpt2(w))


def test_epsilon_and_activation_come_from_the_arguments(tmp_path, gpt2):
    for i, (change, activation) in enumerate([({"bias_gelu_fusion": False}, "gelu"),
                                              ({"bias_gelu_fusion": False, "openai_gelu": True}, "gelu_new")]):
        args = megatron.arguments(gpt2[0], 1)
        vars(args).update(change, layernorm_epsilon=1e-6)
        megatron.write_pipe(tmp_path / f"m{i}", gpt2[0], args=args)
        run(tmp_path / f"m{i}", tmp_path / f"hf{i}", "--to", "hf")
        config = load(tmp_path / f"hf{i}").config
        assert config.layer_norm_epsilon == 1e-6 and config.activation_function == activation


def test_shards_of_bin_files_and_single_files(tmp_path, gpt2):
    _, state, wanted = gpt2
    reference(gpt2[0]).save_pretrained(tmp_path / "hf")
    run(tmp_path / "hf" / "model.safetensors", tmp_path / "one", "--to", "hf")
    assert_same_state(load_file(tmp_path / "one" / "model.safetensors"), state)
    (tmp_path / "hf" / "model.safetensors").unlink()
    names, files = sorted(state), {}
    for i, part in enumerate((names[::2], names[1::2])):
        files |= dict.fromkeys(part, f"pytorch_model-0000{i + 1}-of-00002.bin")
        torch.save({name: state[name] for name in part}, tmp_path / "hf" / files[part[0]])
    index = {"metadata": {"total_size": 1}, "weight_map": files}
    (tmp_path / "hf" / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    run(tmp_path / "hf", tmp_path / "two", "--to", "hf")
    assert_same_state(load_file(tmp_path / "two" / "model.safetensors"), state)


def test_json_report(tmp_path, gpt2):
    megatron.write_pipe(tmp_path / "m", gpt2[0], 2)
    report = json.loads(run(tmp_path / "m", tmp_path / "out", "--to", "hf", "--json").stdout)
    assert report["schema"] == "goldentrace.convert/1"
    assert report["model"]["layers"] == megatron.LAYERS and report["tensors"] == len(gpt2[0])
    assert report["bytes"] == sum(t.numel() * 4 for t in gpt2[0].values())
