// Prints each event of the shop once, in order.
package main

import (
	"errors"
	"log"

	amqp "github.com/rabbitmq/amqp091-go"

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
	connection, err := amqp.Dial(ledger.Setting("RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/"))
	if err != nil {
		return err
	}
	channel, err := connection.Channel()
	if err != nil {
		return err
	}
	if err := channel.ExchangeDeclare("shop", "topic", true, false, false, false, nil); err != nil {
		return err
	}
	// The queue keeps what is not acknowledged. For the order, one process at a time gets its messages.
	kind := amqp.Table{"x-queue-type": "quorum", "x-single-active-consumer": true}
	if _, err := channel.QueueDeclare(name, true, false, false, false, kind); err != nil {
		return err
	}
	if err := channel.QueueBind(name, "#", "shop", false, nil); err != nil {
		return err
	}
	if err := channel.Qos(100, 0, false); err != nil {
		return err
	}
	messages, err := channel.Consume(name, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	for message := range messages {
		if err := events.Handle(message.Body); err != nil {
			return err
		}
		if err := message.Ack(false); err != nil {
			return err
		}
	}
	return errors.New("the connection is closed")
}
