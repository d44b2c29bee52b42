// Package ledger handles each event of the shop once.
package ledger

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Ledger has a line for each event that was handled.
type Ledger struct {
	file    *os.File
	handled map[string]bool
}

// event is the envelope of an event: the members that are printed.
type event struct {
	ID       string
	Type     string
	Payload  struct{ Resource struct{ Type, ID string } }
	Metadata struct{ Sequence string }
}

// Open reads the ids of the events that were handled before.
func Open(name string) (*Ledger, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	ledger := &Ledger{file, map[string]bool{}}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		ledger.handled[strings.Fields(lines.Text())[3]] = true
	}
	return ledger, lines.Err()
}

// Handle handles an event once: its effect and its id are stored in one step. Here both are a line of a file.
func (ledger *Ledger) Handle(body []byte) error {
	var next event
	if err := json.Unmarshal(body, &next); err != nil {
		return err
	}
	if ledger.handled[next.ID] {
		return nil
	}
	resource := next.Payload.Resource
	line := fmt.Sprintf("%s %s %s/%s %s\n", next.Metadata.Sequence, next.Type, resource.Type, resource.ID, next.ID)
	fmt.Print(line)
	ledger.handled[next.ID] = true
	_, err := ledger.file.WriteString(line)
	return err
}

// Setting returns an environment variable, or the value that a setting has without it.
func Setting(name, value string) string {
	if set := os.Getenv(name); set != "" {
		return set
	}
	return value
}
