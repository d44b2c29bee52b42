import json
import os

import pika

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


connection = pika.BlockingConnection(
    pika.URLParameters(os.environ.get("RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/%2F"))
)
channel = connection.channel()
channel.exchange_declare("shop", "topic", durable=True)
# The queue keeps what is not acknowledged. For the order, one process at a time gets its messages.
channel.queue_declare(NAME, durable=True, arguments={"x-queue-type": "quorum", "x-single-active-consumer": True})
channel.queue_bind(NAME, "shop", "#")
channel.basic_qos(prefetch_count=100)
for method, _, body in channel.consume(NAME):
    handle(json.loads(body))
    channel.basic_ack(method.delivery_tag)
