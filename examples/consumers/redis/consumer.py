import json
import os

import redis

NAME = os.environ.get("CONSUMER", "audit")
STREAM = "shop:events"
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


url = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379")
# The timeout of the socket is longer than a read waits for entries.
client = redis.Redis.from_url(url, decode_responses=True, socket_timeout=15)


def take(entries):
    """Handles entries, and acknowledges them: Redis stores the position of the group."""
    for entry, fields in entries:
        handle(json.loads(fields["data"]))
        client.xack(STREAM, NAME, entry)


try:
    client.xgroup_create(STREAM, NAME, "0", mkstream=True)
except redis.ResponseError as error:
    if not str(error).startswith("BUSYGROUP"):
        raise

# First what an earlier process has read and not acknowledged. For the order, a group has one process.
position, entries, *_ = client.xautoclaim(STREAM, NAME, "only", 0)
take(entries)
while position != "0-0":
    position, entries, *_ = client.xautoclaim(STREAM, NAME, "only", 0, position)
    take(entries)
while True:
    for _, entries in client.xreadgroup(NAME, "only", {STREAM: ">"}, count=100, block=5_000):
        take(entries)
