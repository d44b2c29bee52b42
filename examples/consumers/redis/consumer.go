// Prints each event of the shop once, in order.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/consumers/ledger"
)

func main() {
	log.Fatal(consume(ledger.Setting("CONSUMER", "audit")))
}

const stream = "shop:events"

func consume(name string) error {
	events, err := ledger.Open(name + ".log")
	if err != nil {
		return err
	}
	options, err := redis.ParseURL(ledger.Setting("REDIS_URL", "redis://127.0.0.1:6379"))
	if err != nil {
		return err
	}
	client, ctx := redis.NewClient(options), context.Background()
	err = client.XGroupCreateMkStream(ctx, stream, name, "0").Err()
	if err != nil && !redis.HasErrorPrefix(err, "BUSYGROUP") {
		return err
	}
	// Redis stores the position of the group: the entries that are acknowledged.
	take := func(entries []redis.XMessage) error {
		for _, entry := range entries {
			data, _ := entry.Values["data"].(string)
			if err := events.Handle([]byte(data)); err != nil {
				return err
			}
			if err := client.XAck(ctx, stream, name, entry.ID).Err(); err != nil {
				return err
			}
		}
		return nil
	}
	// First what an earlier process has read and not acknowledged. For the order, a group has one process.
	claim := redis.XAutoClaimArgs{Stream: stream, Group: name, Consumer: "only", Start: "0-0"}
	for isFirst := true; isFirst || claim.Start != "0-0"; isFirst = false {
		entries, next, err := client.XAutoClaim(ctx, &claim).Result()
		if err != nil {
			return err
		}
		if err := take(entries); err != nil {
			return err
		}
		claim.Start = next
	}
	read := redis.XReadGroupArgs{
		Group: name, Consumer: "only", Streams: []string{stream, ">"}, Count: 100, Block: 5 * time.Second,
	}
	for {
		streams, err := client.XReadGroup(ctx, &read).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		for _, each := range streams {
			if err := take(each.Messages); err != nil {
				return err
			}
		}
	}
}
