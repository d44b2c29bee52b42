// Prints each event of the shop once, in order.
package main

import (
	"context"
	"log"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/consumers/ledger"
)

func main() {
	log.Fatal(consume(ledger.Setting("CONSUMER", "audit")))
}

func consume(name string) error {
	events, err := ledger.Open(name + ".log")
	if err != nil {
		return err
	}
	connection, err := nats.Connect(ledger.Setting("NATS_URL", "nats://127.0.0.1:4222"))
	if err != nil {
		return err
	}
	manager, err := jetstream.New(connection)
	if err != nil {
		return err
	}
	// NATS stores the position under this name. One message at a time keeps the order when one is delivered again.
	consumer, err := manager.CreateOrUpdateConsumer(context.Background(), "SHOP", jetstream.ConsumerConfig{
		Durable:       name,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       5 * time.Second,
		MaxAckPending: 1,
	})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	for {
		message, err := messages.Next()
		if err != nil {
			return err
		}
		if err := events.Handle(message.Data()); err != nil {
			return err
		}
		if err := message.Ack(); err != nil {
			return err
		}
	}
}
