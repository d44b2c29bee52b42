// The scenario of the TypeScript clients in Go: prints its report as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"restwright.test/clients/library"
)

type report struct {
	Created created    `json:"created"`
	Read    read       `json:"read"`
	Pages   [][]string `json:"pages"`
	Changed changed    `json:"changed"`
	Refused refused    `json:"refused"`
}

type created struct {
	Title string               `json:"title"`
	Tags  []string             `json:"tags"`
	Price *string              `json:"price"`
	Unit  library.BookSizeUnit `json:"unit"`
}

type read struct {
	Title  string `json:"title"`
	Author string `json:"author"`
}

type changed struct {
	Title          string `json:"title"`
	IsSameRevision bool   `json:"is_same_revision"`
}

type refused struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Details int    `json:"details"`
}

func main() {
	client, err := library.NewClientWithResponses(os.Getenv("API_ORIGIN"), library.WithRequestEditorFn(authorize))
	check(err)
	ctx := context.Background()
	authorID := createAuthor(ctx, client)
	books := createBooks(ctx, client, authorID)
	result := report{Pages: walk(ctx, client, authorID)}
	first := books[0]
	result.Created = created{Title: first.Title, Tags: first.Tags, Price: first.Price, Unit: first.Size.Unit}

	found, err := client.GetBookWithResponse(ctx, *first.Id, &library.GetBookParams{Expand: &[]string{"author"}})
	check(err)
	book, err := found.JSON200.AsBook()
	check(err)
	result.Read = read{Title: book.Title, Author: book.Author.Name}

	tag := found.HTTPResponse.Header.Get("ETag")
	done := change(ctx, client, *first.Id, tag, "Ghosts")
	result.Changed = changed{Title: done.JSON200.Title, IsSameRevision: *done.JSON200.Revision == *first.Revision}
	failure := change(ctx, client, *first.Id, tag, "Hedda").JSON412
	result.Refused = refused{Status: failure.HttpStatus, Code: string(failure.ErrorCode), Details: len(failure.Details)}
	check(json.NewEncoder(os.Stdout).Encode(result))
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_TOKEN"))
	return nil
}

func createAuthor(ctx context.Context, client *library.ClientWithResponses) string {
	country := library.AuthorCreateCountryNO
	response, err := client.CreateAuthorWithResponse(ctx, nil, library.AuthorCreate{Name: "Ibsen", Country: &country})
	check(err)
	return *response.JSON201.Id
}

func createBooks(ctx context.Context, client *library.ClientWithResponses, authorID string) []library.Book {
	books := []library.Book{}
	for index := range 12 {
		price, height, tags := "19.90", 20, []string{"old", "red"}
		body := library.BookCreate{
			Isbn:     fmt.Sprintf("oapi-codegen-%d", index),
			Title:    fmt.Sprintf("Volume %02d", index+1),
			Price:    &price,
			Tags:     &tags,
			AuthorId: &authorID,
		}
		body.Size = &library.BookCreate_Size{Unit: library.BookCreateSizeUnitCm, Height: &height}
		response, err := client.CreateBookWithResponse(ctx, nil, body)
		check(err)
		books = append(books, *response.JSON201)
	}
	return books
}

func walk(ctx context.Context, client *library.ClientWithResponses, authorID string) [][]string {
	pages := [][]string{}
	sort := library.BookSort{"title", "id"}
	params := library.ListBooksParams{AuthorId: &authorID, Sort: &sort}
	for {
		response, err := client.ListBooksWithResponse(ctx, &params)
		check(err)
		titles := []string{}
		for _, item := range response.JSON200.Data {
			book, err := item.AsBook()
			check(err)
			titles = append(titles, book.Title)
		}
		pages = append(pages, titles)
		if !response.JSON200.Page.HasMore {
			return pages
		}
		params.After = response.JSON200.Page.NextCursor
	}
}

func change(ctx context.Context, client *library.ClientWithResponses, id, tag, title string) *library.PatchBookResponse {
	params := library.PatchBookParams{IfMatch: &tag}
	response, err := client.PatchBookWithResponse(ctx, id, &params, library.BookPatch{Title: &title})
	check(err)
	return response
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
