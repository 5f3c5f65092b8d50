#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speaks Chat Completions on loopback and hands in the kernels of this folder, one for each request, in the order of their names, each with its line of notes.txt.
They were written by hand: this is no model. Ends with its standard input, after ten minutes at the latest.
  author.py CONFIG     writes CONFIG/models.json (preset "by-hand", model "author") and then serves"""
import http.server, json, os, pathlib, sys, threading

here = pathlib.Path(__file__).resolve().parent
kernels = [p.read_text() for p in sorted(here.glob("[0-9]_*.cu"))]
notes = (here / "notes.txt").read_text().splitlines()
served = 0


class Author(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def do_POST(self):
        global served
        body = self.rfile.read(int(self.headers["content-length"]))
        at = min(served, len(kernels) - 1)
        served += 1
        text = "```cuda\n" + kernels[at] + "```\nNote: " + notes[at] + "\n"
        chunks = [{"choices": [{"index": 0, "delta": {"content": text[i:i + 300]}, "finish_reason": None}]} for i in range(0, len(text), 300)]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        chunks.append({"choices": [], "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4, "total_tokens": (len(body) + len(text)) // 4}})
        lines = "".join("data: " + json.dumps({"id": "by-hand", "object": "chat.completion.chunk", "model": "author", **c}) + "\n\n" for c in chunks) + "data: [DONE]\n\n"
        data = lines.encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Author)
config = pathlib.Path(sys.argv[1])
config.mkdir(parents=True, exist_ok=True)
(config / "models.json").write_text(json.dumps({
    "schema": "warpwright-models/1",
    "presets": [{"name": "by-hand", "title": "Written by hand", "about": "kernels from a folder; no model", "provider": "openai", "dialect": "chat",
                 "base_url": f"http://127.0.0.1:{server.server_port}/v1", "key_needed": False, "local": True}],
    "models": [{"preset": "by-hand", "name": "author", "context": 200000, "output": 16000, "free": True}]}))
threading.Timer(600, lambda: os._exit(0)).start()
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
