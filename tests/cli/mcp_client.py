# SPDX-License-Identifier: Apache-2.0
"""`warpwright-cli mcp` by the official client of the Model Context Protocol (the package mcp, version 2 or later).

python3 mcp_client.py WARPWRIGHT_CLI. Workspace, worker and plugins come from the environment. With -v it says what it
asks and what comes back.
"""
import asyncio
import os
import pathlib
import sys
import tempfile

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

RELU = (pathlib.Path(__file__).parents[1] / "support/relu.cu").read_text()
WRONG = RELU.replace("if (i < (long long)R * C) ", "")
SMALL = {"R": 10, "C": 100}
VERBOSE = "-v" in sys.argv


def server(*more):
    kept = {name: value for name, value in os.environ.items() if name.startswith(("WARPWRIGHT_", "XDG_", "LD_"))}
    return stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp", *more], env=kept))


async def call(client, tool, arguments=None, fails=False, **more):
    result = await client.call_tool(tool, arguments or {}, **more)
    if VERBOSE:
        shown = {k: (v if len(str(v)) < 60 else str(v)[:57] + "...") for k, v in (arguments or {}).items()}
        print(f"\n> {tool} {shown}" + (" (error)" if result.is_error else ""))
        print("\n".join(result.content[0].text.splitlines()[:14]))
    assert bool(result.is_error) == fails, (tool, result.content[0].text)
    return result.structured_content


async def every_tool(mode, exports):
    async with Client(server("--export-to", exports, "--unsigned"), mode=mode) as client:
        print(mode, client.protocol_version, client.server_info.name)
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert "check" in tools and not {"accept", "sign"} & tools, tools
        assert (await call(client, "describe", {"op": "softmax over the rows"}))["understood"]
        assert not (await call(client, "describe", {"op": "frobnicate the wibble"}))["understood"]
        rejected = await call(client, "check", {"kernel": WRONG, "set": SMALL})
        assert not rejected["verdict"]["accepted"]
        accepted = await call(client, "check", {"kernel": RELU, "set": SMALL})
        assert accepted["verdict"]["accepted"] and accepted["score"]["provenance"] == "simulated"
        await call(client, "check", {"kernel": RELU, "set": {"Q": 1}}, fails=True)

        heard = []

        async def progress(done, total, message):
            heard.append((done, total, message))

        run = await call(client, "explore", {"op": "relu", "set": SMALL, "budget": 3}, progress_callback=progress)
        assert run["run"]["accepted"] == 3 and [d for d, _, _ in heard] == sorted({d for d, _, _ in heard}), heard
        best = next(c["id"] for c in run["candidates"] if c["rank"] == 1)
        mine = (await call(client, "submit", {"kernel": RELU, "parent": str(best), "note": "plain"}))["candidate"]["id"]
        for what in ("runs", "candidates", "ops"):
            await call(client, "list", {"what": what, "words": "softmax"})
        await call(client, "show", {"candidate": str(mine)})
        await call(client, "diff", {"before": str(best), "after": str(mine)})
        await call(client, "advise", {"candidate": str(mine)})
        await call(client, "compare", {"first": str(mine), "second": str(best)})
        for tool in ("time", "profile"):  # no such GPU
            await call(client, tool, {"candidate": str(mine), "device": "cuda:77"}, fails=True)
        await call(client, "notes", {"candidate": str(mine), "text": "is this line right?", "line": 6})
        made = await call(client, "export", {"candidate": str(best), "as": "ptx", "name": f"best_{best}"})
        assert os.path.exists(os.path.join(made["folder"], "plan.json"))

        page = await client.list_resources()
        uris = [str(r.uri) for r in page.resources]
        while page.next_cursor:
            page = await client.list_resources(cursor=page.next_cursor)
            uris += [str(r.uri) for r in page.resources]
        assert len(uris) > 280 and "warpwright://op/softmax" in uris, len(uris)
        for uri in ("warpwright://guide/candidate", f"warpwright://run/{run['run']['id']}", "warpwright://op/softmax",
                    f"warpwright://candidate/{best}", f"warpwright://report/{run['run']['id']}"):
            assert (await client.read_resource(uri)).contents[0].text, uri
        assert len((await client.list_resource_templates()).resource_templates) == 4
        assert len((await client.list_prompts()).prompts) == 3
        prompt = await client.get_prompt("optimise-kernel", {"kernel": RELU})
        assert RELU in prompt.messages[0].content.text
        for wrong in (client.call_tool("accept", {}), client.read_resource("file:///etc/passwd")):
            try:
                await wrong
                raise AssertionError("it was not refused")
            except Exception as e:
                assert "there is no" in str(e), e


async def cancelled_in_mid_run():
    async with Client(server()) as client:
        begun = anyio.Event()

        async def progress(done, total, message):
            if done > 0:
                begun.set()

        async with anyio.create_task_group() as tasks:

            async def explore():
                await client.call_tool("explore", {"op": "matmul", "budget": 5000, "workers": 1}, progress_callback=progress)

            tasks.start_soon(explore)
            await begun.wait()
            tasks.cancel_scope.cancel()
        for _ in range(100000):
            run = (await client.call_tool("list", {})).structured_content["runs"][0]
            if run["state"] != "running":
                break
        assert run["state"] == "cancelled", run
        if VERBOSE:
            print(f"\n(cancelled in mid-run: run {run['id']} is {run['state']}, {run['judged']} judged)")
        again = await call(client, "explore", {"resume": str(run["id"]), "budget": run["judged"] + 1})
        assert again["run"]["id"] == run["id"]


async def two_at_once():
    async def one():
        async with Client(server()) as client:
            return (await call(client, "explore", {"op": "relu", "set": SMALL, "budget": 3}))["run"]

    first, second = await asyncio.gather(one(), one())
    assert first["id"] != second["id"] and first["accepted"] == second["accepted"] == 3, (first, second)


async def main():
    with tempfile.TemporaryDirectory() as exports:
        for mode in ("auto", "legacy"):
            await every_tool(mode, exports)
    await cancelled_in_mid_run()
    await two_at_once()
    print("every tool, errors, a cancellation and two clients at once: passed")


asyncio.run(main())
