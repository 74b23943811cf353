"""Searches LangGraph's PostgresStore for `remembrancer bench`: one JSON request in a line of standard input, one answer in a line of output."""

import json
import sys
import time

import psycopg
from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore

place = json.loads(sys.stdin.readline())
namespace, vectors, questions, asked = ("memories", place["agent"]), {}, [], 0


def embed(texts):
    """The vectors that the benchmark sent: no model is asked."""
    return [vectors[text] for text in texts]


def answer(store, request):
    global asked
    if "put" in request:
        vectors.update((one["text"], one["vector"]) for one in request["put"])
        store.batch([PutOp(namespace, one["id"], {"text": one["text"]}) for one in request["put"]])
        for one in request["put"]:
            vectors.pop(one["text"], None)
        return {}
    if "ask" in request:
        vectors.update((one["text"], one["vector"]) for one in request["ask"])
        questions.extend(one["text"] for one in request["ask"])
        with psycopg.connect(place["url"], autocommit=True) as owner:
            owner.execute("vacuum analyze")
        return {}
    if "find" in request:
        return [[hit.key for hit in store.search(namespace, query=question, limit=10)] for question in questions]
    times, begin = [], time.perf_counter()
    while not times or (len(times) < request["most"] and time.perf_counter() - begin < request["seconds"]):
        start = time.perf_counter()
        store.search(namespace, query=questions[asked % len(questions)], limit=10)
        times.append((time.perf_counter() - start) * 1000)
        asked += 1
    return {"times": times}


index = {"dims": place["dimension"], "embed": embed, "fields": ["text"]}
with PostgresStore.from_conn_string(place["url"], index=index) as store:
    store.setup()
    print(json.dumps({}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(store, json.loads(line))), flush=True)
