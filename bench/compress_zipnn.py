"""Compresses the tensors of a list in memory with ZipNN, an order-0 coder on separated bytes:

    compress_zipnn.py LIST THREADS

Prints {"stored": bytes}.
"""
import json
import sys

import zipnn

DTYPES = {"float32": "float32", "bfloat16": "bfloat16"}


def main():
    stored = 0
    for entry in json.loads(open(sys.argv[1]).read()):
        coder = zipnn.ZipNN(input_format="byte", bytearray_dtype=DTYPES[entry["dtype"]], threads=int(sys.argv[2]))
        stored += len(coder.compress(open(entry["file"], "rb").read()))
    print(json.dumps({"stored": stored}))


main()
