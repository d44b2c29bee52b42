// Judges pairs of descriptions by oasdiff. Standard input has a line for each pair, an array of two file names; standard output gets a line for each, the
// array of the changes that oasdiff calls breaking (level ERR).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

type breakingChange struct {
	Id        string `json:"id"`
	Operation string `json:"operation"`
	Text      string `json:"text"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var files [2]string
		check(json.Unmarshal(lines.Bytes(), &files))
		check(output.Encode(breakingChanges(files)))
	}
	check(lines.Err())
}

func breakingChanges(files [2]string) []breakingChange {
	was, is := read(files[0]), read(files[1])
	found, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), was, is)
	check(err)
	config := checker.NewConfig(checker.GetAllChecks())
	localize := checker.NewDefaultLocalizer()
	changes := []breakingChange{}
	for _, change := range checker.CheckBackwardCompatibilityUntilLevel(config, found, sources, checker.ERR) {
		operation := change.GetOperation() + " " + change.GetPath()
		changes = append(changes, breakingChange{change.GetId(), operation, change.GetUncolorizedText(localize)})
	}
	return changes
}

// The same preparation as the command's: the allOf of errors are merged, and the parameters of paths are those of each operation.
func read(file string) *load.SpecInfo {
	loader := openapi3.NewLoader()
	options := []load.Option{load.WithFlattenAllOf(), load.WithFlattenParams()}
	description, err := load.NewSpecInfo(loader, load.NewSource(file), options...)
	check(err)
	return description
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
