"""Moves the client for `conformance/run.mjs`: see conformance/README.md."""
import asyncio
import json
import os
import sys

from hookline import Hookline, HooklineError, new_key


def report(**event):
    print(json.dumps(event), flush=True)


async def main():
    settings = json.loads(os.environ["HOOKLINE_CONFORMANCE"])
    client = Hookline(
        settings["clientId"],
        settings["label"],
        url=settings["url"],
        origin=settings["origin"],
        key=new_key() if settings["keyed"] else None,
        on_state=lambda state, facts: report(state=state, retryMs=facts.get("retryMs")),
    )

    async def execute(step):
        try:
            printed = lambda _kind, text: report(output={"id": step["id"], "text": text})
            result = await client.execute(step["command"], on_output=printed)
            report(result={"id": step["id"], "success": result["success"]})
        except HooklineError as error:
            report(result={"id": step["id"], "failed": error.delivery})

    steps = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(steps), sys.stdin)
    tasks = [asyncio.create_task(client.run())]
    while line := await steps.readline():
        step = json.loads(line)
        if step["do"] == "exec":
            tasks.append(asyncio.create_task(execute(step)))
        else:
            client.subscribe(*step["topics"])


asyncio.run(main())
