"""Times training steps of a GPT-2 of transformers, bare or under msProbe, as steps.py does ours:

    msprobe_step.py FOLDER STEPS bare|statistics|tensor

GPT 4 x 768, one sequence of 256 tokens, one thread. Dumps go to FOLDER/TASK. Prints the seconds of each step but the
first.
"""
import json
import pathlib
import sys
import time

import torch
from msprobe.pytorch import PrecisionDebugger
from transformers import GPT2Config, GPT2LMHeadModel


def model_and_data():
    torch.manual_seed(42)
    config = GPT2Config(n_layer=4, n_embd=768, n_head=12, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                        attn_implementation="eager", use_cache=False)
    return GPT2LMHeadModel(config), torch.randint(0, config.vocab_size, (1, 256))


def debugger_for(task, folder):
    config = folder / f"{task}.json"
    config.write_text(json.dumps({"task": task, "dump_path": str(folder / task), "rank": [], "step": [], "level": "L0",
                                  task: {"scope": [], "list": [], "data_mode": ["all"]}}))
    return PrecisionDebugger(config_path=str(config))


def train(steps, debugger):
    model, ids = model_and_data()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        if debugger:
            debugger.start(model=model)
        optimizer.zero_grad()
        model(ids, labels=ids).loss.backward()
        if debugger:
            debugger.stop()
            debugger.step()
        optimizer.step()
        times.append(time.perf_counter() - start)
    return times[1:]


def main():
    folder, steps, task = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    torch.set_num_threads(1)
    print(json.dumps(train(steps, None if task == "bare" else debugger_for(task, folder))))


main()
