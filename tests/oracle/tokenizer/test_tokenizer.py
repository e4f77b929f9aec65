"""Ids of goldentrace's tokenizer against Hugging Face's tokenizers: a BPE trained here, 20,000 lines of mixed text with
control characters and broken UTF-8."""

import json
import os
import random
import struct
import subprocess
import unicodedata

import pytest
import tokenizers
import transformers

TOKENIZE = os.environ["GOLDENTRACE_TOKENIZE"]
LINES = 20_000
WORDS = ("the of and to in is that it was for on are as with his they at be this from I've don't we'll you're she'd it's "
         "Straße naïve façade garçon Ελλάδα Россия мир 世界 日本語 한국어 العربية עברית हिन्दी ไทย 𝔘𝔫𝔦 é é 😀 👩‍👩‍👧 🇩🇪 "
         "int main() { return x[0]->y; } // !? ... 3.14159 1e-5 0xdeadbeef ½ Ⅷ ٣ 二 www.example.org a_b-c <|endoftext|> "
         "x\u00a0y \u2003 \u180e \u200b \ufeff \u0085").split(" ")
SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n ", "\u00a0", "\u2003", "\u3000", "", " \u2028"]


def assigned(rng):
    """A random character that every Unicode version at hand knows."""
    while True:
        c = chr(rng.randrange(0x20, 0x2FA20))
        if unicodedata.category(c) not in ("Cn", "Cs") and unicodedata.ucd_3_2_0.category(c) == unicodedata.category(c):
            return c


def line(rng):
    kind = rng.random()
    text = "".join(rng.choice(WORDS) + rng.choice(SPACES) for _ in range(rng.randrange(1, 12)))
    if kind < 0.15:
        text = "".join(assigned(rng) for _ in range(rng.randrange(1, 30)))
    if kind < 0.3:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + "".join(chr(rng.randrange(0, 0xA1)) for _ in range(rng.randrange(1, 5))) + text[at:]
    data = text.encode()
    if 0.3 < kind < 0.5:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.randbytes(rng.randrange(1, 6)) + data[at:]
    if 0.5 < kind < 0.6:
        data = data[rng.randrange(3):len(data) - rng.randrange(3)]
    return data


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bpe")
    rng = random.Random(1)
    bpe = tokenizers.ByteLevelBPETokenizer()
    corpus = [line(rng).decode(errors="replace").replace("<|endoftext|>", "") for _ in range(3000)]
    bpe.train_from_iterator(corpus, vocab_size=1500, min_frequency=2, special_tokens=["<|endoftext|>"], show_progress=False)
    bpe.save_model(str(folder))
    return folder


def ours(folder, lines):
    data = b"".join(struct.pack("<I", len(text)) + text for text in lines)
    done = subprocess.run([TOKENIZE, folder], input=data, capture_output=True)
    assert done.returncode == 0, done.stderr
    return [list(map(int, ids.split())) for ids in done.stdout.splitlines()]


def test_ids_of_mixed_lines(trained):
    rng = random.Random(2)
    lines = [line(rng) for _ in range(LINES)]
    theirs = transformers.GPT2Tokenizer(str(trained / "vocab.json"), str(trained / "merges.txt"))
    backend = theirs.backend_tokenizer
    wanted = [each.ids for each in backend.encode_batch([text.decode(errors="replace") for text in lines])]
    found = ours(trained, lines)
    assert len(found) == LINES
    for text, a, b in zip(lines, found, wanted):
        assert a == b, text
    assert sum(map(len, wanted)) > 3 * LINES and any(max(ids) > 1000 for ids in wanted if ids)


def test_long_runs_take_no_quadratic_time(trained):
    bpe = tokenizers.ByteLevelBPETokenizer(str(trained / "vocab.json"), str(trained / "merges.txt"))
    runs = ["the" * 100_000, " " * 200_000, "!" * 200_000 + "\n", "a" * 65_537]
    assert ours(trained, [run.encode() for run in runs]) == [bpe.encode(run).ids for run in runs]


def test_files_that_do_not_fit_are_refused(trained, tmp_path):
    vocabulary, merges = (trained / "vocab.json").read_text(), (trained / "merges.txt").read_text()
    cases = {"no pair of tokens": (vocabulary, merges + "a b c\n"), "not all its tokens": (vocabulary, merges + "zq zq\n"),
             "second time": (vocabulary, merges + merges.splitlines()[1] + "\n"), "no valid JSON": (vocabulary[:-1], merges),
             "is a list": ("[1]", merges), "holds no tokens": ("{}", ""), "two tokens have the id 5": ('{"a": 5, "b": 5}', ""),
             "is a text": ('{"a": "5"}', ""), "negative id": ('{"a": -1}', ""), "has the id 4000000000": ('{"a": 4000000000}', "")}
    for words, (vocab_text, merges_text) in cases.items():
        (tmp_path / "vocab.json").write_text(vocab_text)
        (tmp_path / "merges.txt").write_text(merges_text)
        done = subprocess.run([TOKENIZE, tmp_path], input=b"", capture_output=True, text=False)
        assert done.returncode == 2 and words in done.stderr.decode() and done.stderr.count(b"\n") == 1, (words, done)


def test_bytes_without_a_token_are_named(tmp_path):
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    done = subprocess.run([TOKENIZE, tmp_path], input=struct.pack("<I", 2) + b"ab", capture_output=True)
    assert done.returncode == 2 and b"no token for byte 98" in done.stderr
