import asyncio
import json
import os

import nats
from nats.js.api import AckPolicy, ConsumerConfig

NAME = os.environ.get("CONSUMER", "audit")
ledger = open(f"{NAME}.log", "a+", encoding="utf-8")
ledger.seek(0)
handled = {line.split()[3] for line in ledger}


def handle(event):
    """Handles an event once: its effect and its id are stored in one step. Here both are a line of a file."""
    if event["id"] in handled:
        return
    resource = event["payload"]["resource"]
    line = f'{event["metadata"]["sequence"]} {event["type"]} {resource["type"]}/{resource["id"]} {event["id"]}'
    print(line, flush=True)
    print(line, file=ledger, flush=True)
    handled.add(event["id"])


async def main():
    connection = await nats.connect(os.environ.get("NATS_URL", "nats://127.0.0.1:4222"))
    stream = connection.jetstream()
    # NATS stores the position under this name. One message at a time keeps the order when one is delivered again.
    config = ConsumerConfig(durable_name=NAME, ack_policy=AckPolicy.EXPLICIT, ack_wait=5, max_ack_pending=1)
    await stream.add_consumer("SHOP", config)
    consumer = await stream.pull_subscribe_bind(durable=NAME, stream="SHOP")
    while True:
        try:
            [message] = await consumer.fetch(1, timeout=30)
        except nats.errors.TimeoutError:
            continue
        handle(json.loads(message.data))
        await message.ack()


asyncio.run(main())
