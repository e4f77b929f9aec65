"""Faults that converters make, planted into converted checkpoints: the original and the faulty conversion are recorded on
the same tokens, and the diff names the weight or the tap that is wrong. Right conversions are flagged nowhere."""

import json
import pathlib
import shutil
import sys

import pytest
import torch

sys.path.append(str(pathlib.Path(__file__).parents[2] / "oracle" / "checkpoints"))
import tiny
import upstream as megatron
from conftest import Command

HEADS, SIZE, HIDDEN, LAYERS, VOCAB = megatron.HEADS, megatron.SIZE, megatron.HIDDEN, megatron.LAYERS, megatron.VOCAB
SETTINGS = {"megatron": ["--set", "apply_query_key_layer_scaling=false"], "hf": []}


class Conversions:
    """One Megatron checkpoint of two ranks, recorded, and its conversion to transformers' files."""

    def __init__(self, folder):
        self.folder, self.command, self.count, self.reports = folder, Command(folder), 0, {}
        # Labels leave nothing to the padding of the vocabulary: a loss over padded columns is case A13.
        (folder / "ids.txt").write_text("\n".join(" ".join(str((row * 31 + i * 7) % VOCAB) for i in range(12))
                                                  for row in range(2)))
        self.source = megatron.write_pipe(folder / "megatron", megatron.weights(), 2)
        self.hf = self.command.convert(self.source)[0]
        self.state = self.read(self.hf)
        self.config = json.loads((self.hf / "config.json").read_text())
        self.original = self.record("megatron", self.source)

    @staticmethod
    def read(folder):
        import safetensors.torch
        return safetensors.torch.load_file(folder / "model.safetensors")

    def record(self, shape, checkpoint, *options):
        self.count += 1
        out = self.folder / f"run{self.count}.h5"
        settings = ["--set", "loss_over_padding=false", *SETTINGS["megatron"]] if shape == "megatron" else []
        done = self.command.run("record", "gpt", "--shape", shape, "--load", checkpoint, "-o", out, "--tokens",
                                self.folder / "ids.txt", "--dropout", 0, "--threads", 1, "--quiet", *settings, *options)
        assert done.returncode == 0, done.stderr
        return out

    def faulty(self, fault):
        """A conversion with the fault: its tensors and its configuration, changed in place."""
        self.count += 1
        folder = self.folder / f"faulty{self.count}"
        state, config = {name: tensor.clone() for name, tensor in self.state.items()}, dict(self.config)
        fault(state, config)
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(config))
        tiny.write_safetensors(folder / "model.safetensors", state)
        return folder

    def report_of(self, name):
        """Of the original against the conversion with the fault of that name; recorded once."""
        if name not in self.reports:
            self.reports[name] = self.differ(self.original, self.record("hf", self.faulty(FAULTS[name][0])))
        return self.reports[name]

    def differ(self, a, b, relation="megatron-hf"):
        done = self.command.run("diff", a, b, "--json")
        report = json.loads(done.stdout)
        assert done.returncode == {"same": 0, "diverged": 1}[report["verdict"]], done.stderr
        assert (report["relation"] or {"name": None})["name"] == relation, report["relation"]
        b.unlink()
        return report


@pytest.fixture(scope="module")
def conversions(tmp_path_factory):
    return Conversions(tmp_path_factory.mktemp("conversions"))


def key(layer, name):
    return f"transformer.h.{layer}.{name}"


def on_rows(change):
    """Of a Conv1D weight the columns are what Megatron has as rows."""
    return lambda t: change(t) if t.dim() == 1 else change(t.t()).t()


def layers_of(name, change, layers=range(LAYERS), kinds=("weight", "bias")):
    def fault(state, config):
        for i in layers:
            for kind in kinds:
                state[key(i, f"{name}.{kind}")] = change(state[key(i, f"{name}.{kind}")]).contiguous()
    return fault


ORDERS = {0: (0, 1, 2), 1: (1, 2, 0), 2: (1, 0, 2)}  # of (3, heads, size) in the file of a version


def misread(version, taken_for):
    def rows(t):
        stored = t.reshape(3, HEADS, SIZE, -1).permute(*ORDERS[version], 3)
        sizes = [(3, HEADS, SIZE)[axis] for axis in ORDERS[taken_for]]
        back = [ORDERS[taken_for].index(axis) for axis in range(3)]
        return stored.reshape(*sizes, -1).permute(*back, 3).reshape(t.shape)
    return on_rows(rows)


def parts(order, count=None):
    """Equal parts of the rows, in another order."""
    return on_rows(lambda t: torch.cat([t.chunk(count or len(order))[i] for i in order]))


def transposed(t):
    return t.t()


def set_to(name, change):
    def fault(state, config):
        state[name] = change(state[name]).contiguous()
    return fault


def renumbered(order):
    def fault(state, config):
        old = dict(state)
        for to, layer in enumerate(order):
            for name in [n for n in old if n.startswith(f"transformer.h.{to}.")]:
                state[name] = old[name.replace(f".h.{to}.", f".h.{layer}.", 1)]
    return fault


def exchanged(first, second):
    def fault(state, config):
        for i in range(LAYERS):
            for kind in ("weight", "bias"):
                a, b = key(i, f"{first}.{kind}"), key(i, f"{second}.{kind}")
                state[a], state[b] = state[b], state[a]
    return fault


def configured(**changes):
    return lambda state, config: config.update(changes)


def head_lost(state, config):
    config["tie_word_embeddings"] = False
    state["lm_head.weight"] = torch.randn(VOCAB, HIDDEN, generator=torch.Generator().manual_seed(8)) * 0.02


def head_late(state, config):
    config["tie_word_embeddings"] = False
    state["lm_head.weight"] = state["transformer.wte.weight"].roll(1, 0)


def vocabulary_of(rows):
    def fault(state, config):
        words = state["transformer.wte.weight"]
        state["transformer.wte.weight"] = torch.cat([words, words[-1:].expand(max(0, rows - VOCAB), -1)])[:rows].contiguous()
        config["vocab_size"] = rows
    return fault


def embedding_shards(t):
    rows = megatron.padded(VOCAB, 2)
    whole = torch.cat([t, t[-1:].expand(rows - VOCAB, -1)]).chunk(2)
    return torch.cat([whole[1], whole[0]])[:VOCAB]


def coarse(t):
    return t.bfloat16().float()


QKV, DENSE, FC, OUT = "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"
AT = "layers.{}.self_attention.query_key_value"
FAULTS = {
    "version 2 read as 0": (layers_of(QKV, misread(2, 0)), AT.format(0), "param"),
    "version 2 read as 1": (layers_of(QKV, misread(2, 1)), AT.format(0), "param"),
    "version 1 read as 2": (layers_of(QKV, misread(1, 2)), AT.format(0), "param"),
    "version 0 read as 2": (layers_of(QKV, misread(0, 2)), AT.format(0), "param"),
    "biases left in the order of version 2": (layers_of(QKV, misread(2, 0), kinds=["bias"]), AT.format(0), "param"),
    "the last layer left in the order of version 2": (layers_of(QKV, misread(2, 0), layers=[2]), AT.format(2), "param"),
    "query and key exchanged": (layers_of(QKV, parts([1, 0, 2])), AT.format(0), "param"),
    "key and value exchanged": (layers_of(QKV, parts([0, 2, 1])), AT.format(0), "param"),
    "heads of the query in reverse": (layers_of(QKV, parts([3, 2, 1, 0, *range(4, 12)])), AT.format(0), "param"),
    "shards of version 0 joined as thirds": (layers_of(QKV, parts([0, 2, 4, 1, 3, 5])), AT.format(0), "param"),
    "square weights not transposed": (layers_of(DENSE, transposed, kinds=["weight"]), "layers.0.self_attention.dense", "param"),
    "one square weight not transposed": (layers_of(DENSE, transposed, [1], ["weight"]), "layers.1.self_attention.dense", "param"),
    "layers off by one": (renumbered([1, 2, 2]), "layers.0.input_layernorm", "param"),
    "two layers exchanged": (renumbered([0, 2, 1]), "layers.1.input_layernorm", "param"),
    "norms of a layer exchanged": (exchanged("ln_1", "ln_2"), "layers.0.input_layernorm", "param"),
    "bias of the attention dropped": (layers_of(DENSE, torch.zeros_like, [1], ["bias"]), "layers.1", "param"),
    "bias of the first projection dropped": (layers_of(FC, torch.zeros_like, [2], ["bias"]), "layers.2.mlp.activation", "param"),
    "bias of the second projection dropped": (layers_of(OUT, torch.zeros_like, [0], ["bias"]), "layers.0", "param"),
    "bias of query, key and value dropped": (layers_of(QKV, torch.zeros_like, kinds=["bias"]), AT.format(0), "param"),
    "tied head lost": (head_lost, "logits", "param"),
    "head one row late": (head_late, "logits", "param"),
    "embedding one row late": (set_to("transformer.wte.weight", lambda t: t.roll(1, 0)), "embedding.word", "param"),
    "positions one row late": (set_to("transformer.wpe.weight", lambda t: t.roll(1, 0)), "embedding.position", "param"),
    "shards of the embedding in another order": (set_to("transformer.wte.weight", embedding_shards), "embedding.word", "param"),
    "shards of the first projection in another order": (layers_of(FC, parts([1, 0])), "layers.0.mlp.dense_h_to_4h", "param"),
    "shards of the second projection in another order":
        (layers_of(OUT, lambda t: torch.cat(t.chunk(2)[::-1]), kinds=["weight"]), "layers.0.mlp.dense_4h_to_h", "param"),
    "padding kept as tokens": (vocabulary_of(megatron.padded(VOCAB, 2)), "loss", "output"),
    "a token cut with the padding": (vocabulary_of(VOCAB - 1), "loss", "output"),
    "epsilon not converted": (configured(layer_norm_epsilon=1e-3), "layers.0.input_layernorm", "output"),
    "exact GELU instead of its approximation": (configured(activation_function="gelu"), "layers.0.mlp.activation", "output"),
    "scores divided by their layer": (configured(scale_attn_by_inverse_layer_idx=True), "layers.1.self_attention.scores", "output"),
    "scores not scaled": (configured(scale_attn_weights=False), "layers.0.self_attention.scores", "output"),
    "another number of heads": (configured(n_head=2), "layers.0.self_attention.scores", None),
    "weights of one layer in a narrower type": (layers_of(OUT, coarse, [1], ["weight"]), "layers.1.mlp.dense_4h_to_h", "param"),
    "final norm left at its initial values": (set_to("transformer.ln_f.weight", torch.ones_like), "final_layernorm", "param"),
    "last bias of the last norm lost": (set_to("transformer.ln_f.bias", torch.zeros_like), "final_layernorm", "param"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_where_it_is(conversions, name):
    _, layer, role = FAULTS[name]
    report = conversions.report_of(name)
    assert report["verdict"] == "diverged"
    first = report["first_divergence"]
    assert first["layer"] == layer and first["role"] in ([role] if role else ["input", "output"]), first
    assert (first["origin"] == "weight") == (role == "param"), first


HINTS = {
    "version 2 read as 0": "QKV order, v2 layout read as v0", "version 0 read as 2": "QKV order, v0 layout read as v2",
    "query and key exchanged": "query and key exchanged", "key and value exchanged": "key and value exchanged",
    "square weights not transposed": "B matches A if the weight is transposed",
    "layers off by one": "B holds A's layers.1.input_layernorm weight",
    "two layers exchanged": "B holds A's layers.2.input_layernorm weight",
    "norms of a layer exchanged": "B holds A's layers.0.post_attention_layernorm weight",
    "bias of the attention dropped": "B is all zeros", "bias of the second projection dropped": "B is all zeros",
    "tied head lost": "A's logits word_embeddings.weight equals A's embedding.word word_embeddings.weight",
    "epsilon not converted": "norm epsilon 1e-05 | 0.001", "exact GELU instead of its approximation": "GELU approximation: tanh | erf",
    "scores divided by their layer": "score ratio 1/2, 1/3 by layer: query-key layer scaling not undone",
    "scores not scaled": "ratio 2.83, 2.8", "final norm left at its initial values": "every element of B is 1",
    "weights of one layer in a narrower type": "B holds A's values rounded to bfloat16",
    "padding kept as tokens": "vocabulary of 99 | 128 tokens", "a token cut with the padding": "vocabulary of 99 | 98 tokens",
    "positions one row late": "same values, permuted rows", "another number of heads": "attention heads 4 | 2",
}


@pytest.mark.parametrize("name", HINTS)
def test_one_hint_says_why(conversions, name):
    hints = [each["text"] for each in conversions.report_of(name)["diagnosis"]]
    assert len(hints) == 1 and HINTS[name] in hints[0], hints


def test_the_right_conversion_is_flagged_nowhere(conversions):
    for folder in (conversions.hf, conversions.faulty(lambda state, config: None)):
        report = conversions.differ(conversions.original, conversions.record("hf", folder))
        assert report["verdict"] == "same", report["reason"]
        assert not report["missing"] and not report["extra"]


def set_version(version):
    def fault(folder):
        for path in folder.rglob("model_optim_rng.pt"):
            content = torch.load(path, weights_only=False)
            content["checkpoint_version"] = version
            torch.save(content, path)
    return fault


def swap_ranks(folder):
    first, second = sorted(folder.rglob("mp_rank_0*"))
    kept = folder / "kept"
    first.rename(kept)
    second.rename(first)
    kept.rename(second)


DIRECTORIES = {
    "right, version 0": (0, lambda folder: None, None), "right, version 1": (1, lambda folder: None, None),
    "right, version 3": (3, lambda folder: None, None),
    "version 0 called 3": (0, set_version(3.0), AT.format(0)), "version 1 called 2": (1, set_version(2.0), AT.format(0)),
    "version 3 called 1": (3, set_version(1.0), AT.format(0)), "ranks exchanged": (3, swap_ranks, "embedding.word"),
}


@pytest.mark.parametrize("name", DIRECTORIES)
def test_faults_of_megatron_directories(conversions, name):
    version, fault, layer = DIRECTORIES[name]
    done = conversions.command.run("convert", conversions.hf, conversions.folder / name, "--to", "megatron", "--tp", 2,
                                   "--layout", "classic", "--checkpoint-version", version, "--make-vocab-size-divisible-by", 16)
    assert done.returncode == 0, done.stderr
    fault(conversions.folder / name)
    b = conversions.record("megatron", conversions.folder / name)
    report = conversions.differ(conversions.original, b, relation=None)
    assert report["verdict"] == ("diverged" if layer else "same")
    if layer:
        first = report["first_divergence"]
        assert (first["layer"], first["role"], first["origin"]) == (layer, "param", "weight")


# Groups of queries: both in Megatron's shape, because GPT-2 has none.

def grouped_weights(groups):
    w, generator = dict(megatron.weights()), torch.Generator().manual_seed(9)
    rows = groups * (HEADS // groups + 2) * SIZE
    for name in [n for n in w if "query_key_value" in n]:
        w[name] = torch.randn(rows, *w[name].shape[1:], generator=generator) * 0.1
    return w


def regrouped(groups):
    """Rows of each group as all queries, all keys, all values."""
    queries = HEADS // groups

    def rows(t):
        blocks = t.reshape(groups, queries + 2, SIZE, -1)
        return torch.cat([blocks[:, :queries].reshape(-1, *t.shape[1:]), blocks[:, queries].reshape(-1, *t.shape[1:]),
                          blocks[:, queries + 1].reshape(-1, *t.shape[1:])])
    return rows


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("wrong", [False, True])
def test_query_groups_read_as_thirds(conversions, tmp_path, groups, wrong):
    w = grouped_weights(groups)
    args = megatron.arguments(w, 1, num_query_groups=groups, group_query_attention=True)
    original = megatron.rank_part
    megatron.rank_part = lambda name, tensor, *rest: tensor if "query_key_value" in name else original(name, tensor, *rest)
    try:
        megatron.write_pipe(tmp_path / "a", w, args=args)
        if wrong:
            w = {name: regrouped(groups)(tensor) if "query_key_value" in name else tensor for name, tensor in w.items()}
        megatron.write_pipe(tmp_path / "b", w, args=args)
    finally:
        megatron.rank_part = original
    there = conversions.command.convert(tmp_path / "b")[0]
    back = tmp_path / "back"
    done = conversions.command.run("convert", there, back, "--to", "megatron", "--query-groups", groups,
                                   "--make-vocab-size-divisible-by", 16)
    assert done.returncode == 0, done.stderr
    a, b = (conversions.record("megatron", folder) for folder in (tmp_path / "a", back))
    report = conversions.differ(a, b, relation=None)
    # Of one group both orders are the same.
    if wrong and groups > 1:
        assert report["first_divergence"]["layer"] == AT.format(0)
        assert any("GQA groups (2 groups of 2)" in each["text"] for each in report["diagnosis"])
    else:
        assert report["verdict"] == "same"


def test_there_are_enough_of_them():
    assert len(FAULTS) + sum(layer is not None for _, _, layer in DIRECTORIES.values()) + 1 >= 24
