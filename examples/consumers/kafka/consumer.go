// Prints each event of the shop once, in order.
package main

import (
	"context"
	"log"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

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
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(ledger.Setting("KAFKA_BROKERS", "127.0.0.1:9092"), ",")...),
		kgo.ConsumeTopics(ledger.Setting("TOPIC", "shop.events")),
		kgo.ConsumerGroup(name),
		// A process that starts again gets its partitions immediately. Each process of a group has another number.
		kgo.InstanceID(name+"-"+ledger.Setting("INSTANCE", "1")),
		kgo.DisableAutoCommit(),
	)
	if err != nil {
		return err
	}
	for {
		fetches := client.PollFetches(context.Background())
		if err := fetches.Err(); err != nil {
			return err
		}
		for _, record := range fetches.Records() {
			if err := events.Handle(record.Value); err != nil {
				return err
			}
		}
		// Kafka stores the position of the group.
		if err := client.CommitUncommittedOffsets(context.Background()); err != nil {
			return err
		}
	}
}
