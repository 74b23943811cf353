#!/usr/bin/env python3
"""Writes the ONNX graph of a BERT sentence encoder such as all-MiniLM-L6-v2, for ONNX Runtime.

usage: model_to_onnx.py MODEL_DIR OUT.onnx

MODEL_DIR holds config.json and model.safetensors. The weights stay where they are: the graph, some
20 kB, names the part of model.safetensors that each is ("external data"), so OUT.onnx must lie in
MODEL_DIR, and is written again when the weights are replaced. Needs Python 3.9 and nothing else.

inputs: input_ids and attention_mask, int64 [batch, tokens]; the mask is 1, and 0 at padding
output: sentence_embedding, float32 [batch, hidden_size]; each row has the length 1
"""

import json
import os
import struct
import sys
from pathlib import Path

# Protobuf: a message is a list of fields, each with a number, which onnx.proto gives it.


def varint(value):
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def integer(field, value):
    return varint(field << 3) + varint(value)


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def content(field, value):
    """A text, bytes or a message in a message."""
    encoded = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(encoded)) + encoded


def contents(field, values):
    return b"".join(content(field, value) for value in values)


# ONNX's numbers for the types of tensors; the name of ONNX Runtime's own operators; versions.
FLOAT, INT32, INT64 = 1, 6, 7
RUNTIME = "com.microsoft"
STANDARD_VERSION, RUNTIME_VERSION, FORMAT_VERSION = 17, 1, 8


def attribute(name, value):
    if isinstance(value, float):
        return content(1, name) + real(2, value) + integer(20, 1)
    return content(1, name) + integer(3, value) + integer(20, 2)


def tensor(name, kind, shape):
    return b"".join(integer(1, size) for size in shape) + integer(2, kind) + content(8, name)


def declaration(name, kind, shape):
    """An input or output: a size is a number or, where it differs from run to run, a name."""
    sizes = (content(2, size) if isinstance(size, str) else integer(1, size) for size in shape)
    tensor_type = integer(1, kind) + content(2, contents(1, sizes))
    return content(1, name) + content(2, content(1, tensor_type))


class Graph:
    """Every method adds to the graph and returns the name of what it added."""

    def __init__(self, weights):
        self.file = weights.name
        with open(weights, "rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self.header = json.loads(file.read(size))
        self.data_start = 8 + size
        self.nodes = []
        self.tensors = {}

    def weight(self, name):
        entry = self.header[name]
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} has the type {entry['dtype']}, not F32")
        start, end = entry["data_offsets"]
        place = {"location": self.file, "offset": self.data_start + start, "length": end - start}
        place = (content(1, key) + content(2, str(value)) for key, value in place.items())
        self.tensors[name] = (
            tensor(name, FLOAT, entry["shape"]) + contents(13, place) + integer(14, 1)
        )
        return name

    def constant(self, value):
        """A list of one integer."""
        name = f"constant {value}"
        self.tensors[name] = tensor(name, INT64, [1]) + content(9, struct.pack("<q", value))
        return name

    def node(self, operator, *inputs, domain="", output=None, **attributes):
        output = output or f"{operator} {len(self.nodes)}"
        self.nodes.append(
            contents(1, inputs)
            + content(2, output)
            + content(3, output)
            + content(4, operator)
            + contents(5, (attribute(*item) for item in attributes.items()))
            + content(7, domain)
        )
        return output

    def model(self, inputs, outputs):
        graph = contents(1, self.nodes) + content(2, "encoder") + contents(5, self.tensors.values())
        graph += contents(11, (declaration(*value) for value in inputs))
        graph += contents(12, (declaration(*value) for value in outputs))
        operators = ("", STANDARD_VERSION), (RUNTIME, RUNTIME_VERSION)
        operators = (content(1, domain) + integer(2, version) for domain, version in operators)
        return integer(1, FORMAT_VERSION) + content(7, graph) + contents(8, operators)


def encoder(weights, config):
    """BERT, then the mean of each text's token vectors at length 1, as one ONNX model."""
    graph = Graph(weights)
    node, weight, constant = graph.node, graph.weight, graph.constant
    epsilon, heads = float(config["layer_norm_eps"]), config["num_attention_heads"]

    def product(vectors, layer):
        """Without the bias, which the operator that comes next adds."""
        matrix = weight(f"{layer}.weight")
        return node("FusedMatMul", vectors, matrix, domain=RUNTIME, transB=1)

    def scale_and_shift(layer):
        return weight(f"{layer}.LayerNorm.weight"), weight(f"{layer}.LayerNorm.bias")

    def add_and_normalise(vectors, change, layer):
        """What a product changed, with its bias, added to what it was before."""
        inputs = (change, vectors, *scale_and_shift(layer), weight(f"{layer}.dense.bias"))
        return node("SkipLayerNormalization", *inputs, domain=RUNTIME, epsilon=epsilon)

    # A text is one segment, so every token is of the first type. What depends on weights alone is
    # computed once, when the model is loaded.
    token_type = node("Gather", weight("embeddings.token_type_embeddings.weight"), constant(0))
    places = node("Add", weight("embeddings.position_embeddings.weight"), token_type)
    length = node("Shape", "input_ids", start=1, end=2)
    places = node("Slice", places, constant(0), length, constant(0))
    words = node("Gather", weight("embeddings.word_embeddings.weight"), "input_ids")
    vectors = node("Add", words, places)
    vectors = node("LayerNormalization", vectors, *scale_and_shift("embeddings"), epsilon=epsilon)

    mask = node("Cast", "attention_mask", to=INT32)
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        matrix = node("Concat", *(weight(f"{part}.weight") for part in parts), axis=0)
        bias = node("Concat", *(weight(f"{part}.bias") for part in parts), axis=0)
        attention = (vectors, node("Transpose", matrix), bias, mask)
        context = node("Attention", *attention, domain=RUNTIME, num_heads=heads)
        change = product(context, f"{layer}.attention.output.dense")
        vectors = add_and_normalise(vectors, change, f"{layer}.attention.output")

        inner = product(vectors, f"{layer}.intermediate.dense")
        inner = node("BiasGelu", inner, weight(f"{layer}.intermediate.dense.bias"), domain=RUNTIME)
        change = product(inner, f"{layer}.output.dense")
        vectors = add_and_normalise(vectors, change, f"{layer}.output")

    # The sum is as good as the mean: only its direction is kept.
    mask = node("Unsqueeze", node("Cast", "attention_mask", to=FLOAT), constant(1))
    total = node("Squeeze", node("MatMul", mask, vectors), constant(1))
    node("LpNormalization", total, output="sentence_embedding", axis=1, p=2)

    tokens = ["batch", "tokens"]
    return graph.model(
        [("input_ids", INT64, tokens), ("attention_mask", INT64, tokens)],
        [("sentence_embedding", FLOAT, ["batch", config["hidden_size"]])],
    )


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: model_to_onnx.py MODEL_DIR OUT.onnx")
    directory, out = Path(sys.argv[1]), Path(sys.argv[2])
    if not out.parent.exists() or not out.parent.samefile(directory):
        sys.exit(f"{out} must lie in {directory}: it refers to the weights there")
    config = json.loads((directory / "config.json").read_text())
    kind = config["hidden_act"], config.get("position_embedding_type", "absolute")
    if kind != ("gelu", "absolute"):
        sys.exit(f"{directory / 'config.json'} describes another kind of model")
    model = encoder(directory / "model.safetensors", config)
    unfinished = out.with_name(f"{out.name}.{os.getpid()}")
    unfinished.write_bytes(model)
    unfinished.replace(out)


if __name__ == "__main__":
    main()
