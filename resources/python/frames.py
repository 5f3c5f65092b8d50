# SPDX-License-Identifier: Apache-2.0
"""JSON-RPC 2.0 with Content-Length framing on standard input and output, as the worker speaks it, for the helpers of this folder."""
import json
import os
import sys


class Refused(Exception):
    """A plain sentence for a person, and perhaps its cause."""

    def __init__(self, message, cause=""):
        super().__init__(message)
        self.cause = cause


def read_message(source):
    length = None
    while True:
        line = source.readline()
        if not line:
            return None
        line = line.strip()
        if not line:
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(source.read(length)) if length is not None else None


def serve(answer, failed):
    """answer(method, params) gives a result; `failed`: the sentence for an exception that is no Refused. Ends with the input."""
    out = os.fdopen(os.dup(1), "wb")  # what libraries print goes to stderr
    os.dup2(2, 1)
    while (message := read_message(sys.stdin.buffer)) is not None:
        reply = {"jsonrpc": "2.0", "id": message.get("id")}
        ends = message.get("method") == "shutdown"
        try:
            reply["result"] = {} if ends else answer(message.get("method"), message.get("params") or {})
        except Refused as e:
            reply["error"] = {"code": -32000, "message": str(e), "data": {"code": "unsupported", "cause": e.cause}}
        except Exception as e:
            reply["error"] = {"code": -32000, "message": failed, "data": {"code": "device", "cause": f"{type(e).__name__}: {e}"[:4000]}}
        body = json.dumps(reply).encode()
        out.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        out.flush()
        if ends:
            break
