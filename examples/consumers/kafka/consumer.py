import json
import os

from confluent_kafka import Consumer, KafkaException

NAME = os.environ.get("CONSUMER", "audit")
TOPIC = os.environ.get("TOPIC", "shop.events")
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


consumer = Consumer(
    {
        "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092"),
        "group.id": NAME,
        # A process that starts again gets its partitions immediately. Each process of a group has another number.
        "group.instance.id": f'{NAME}-{os.environ.get("INSTANCE", 1)}',
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
consumer.subscribe([TOPIC])
while True:
    messages = consumer.consume(num_messages=100, timeout=1)
    for message in messages:
        if message.error():
            raise KafkaException(message.error())
        handle(json.loads(message.value()))
    # Kafka stores the position of the group.
    if messages:
        consumer.commit(asynchronous=False)
