"""A server of embeddings for tests: the same text gives the same vector, and a text with the word WAIT gets none within ten seconds."""
import hashlib, json, random, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def vector(text):
    numbers = random.Random(hashlib.sha256(text.encode()).digest())
    return [numbers.uniform(-1, 1) for _ in range(1536)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if any("WAIT" in text for text in texts):
            time.sleep(10)
        body = json.dumps({"data": [{"index": index, "embedding": vector(text)} for index, text in enumerate(texts)]}).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # The server did not wait.

    def log_message(self, *_):
        pass


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer.request_queue_size = 128
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
