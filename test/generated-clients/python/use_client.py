"""The scenario of the TypeScript clients in Python: prints its report as JSON."""

import json
import os
from http import HTTPStatus

from library import AuthenticatedClient
from library.api.authors import create_author
from library.api.books import create_book, get_book, list_books, patch_book
from library.models.author import Author
from library.models.author_create import AuthorCreate
from library.models.book import Book
from library.models.book_create import BookCreate
from library.models.book_create_size_type_0 import BookCreateSizeType0
from library.models.book_create_size_type_0_unit import BookCreateSizeType0Unit
from library.models.book_page import BookPage
from library.models.book_patch import BookPatch
from library.models.book_precondition_failed_error import BookPreconditionFailedError
from library.models.list_books_sort_item import ListBooksSortItem
from library.types import UNSET, Unset

client = AuthenticatedClient(base_url=os.environ["API_ORIGIN"], token=os.environ["API_TOKEN"])

author = create_author.sync(client=client, body=AuthorCreate(name="Ibsen"))
assert isinstance(author, Author)
author_id: str = author.id

created: list[Book] = []
for index in range(12):
    body = BookCreate(
        isbn=f"openapi-python-client-{index}",
        title=f"Volume {index + 1:02}",
        price="19.90",
        tags=["old", "red"],
        size=BookCreateSizeType0(unit=BookCreateSizeType0Unit.CM, height=20),
        author_id=author_id,
    )
    book = create_book.sync(client=client, body=body)
    assert isinstance(book, Book)
    created.append(book)
first = created[0]

read = get_book.sync_detailed(first.id, client=client, expand=["author"])
assert isinstance(read.parsed, Book) and isinstance(read.parsed.author, Author)

pages: list[list[object]] = []
after: str | Unset = UNSET
while True:
    page = list_books.sync(client=client, author_id=author_id, sort=[ListBooksSortItem.TITLE], after=after)
    assert isinstance(page, BookPage)
    pages.append([book.title for book in page.data])
    if not page.page.has_more:
        break
    assert isinstance(page.page.next_cursor, str)
    after = page.page.next_cursor

tag = read.headers["etag"]
changed = patch_book.sync(first.id, client=client, if_match=tag, body=BookPatch(title="Ghosts"))
assert isinstance(changed, Book)
refused = patch_book.sync_detailed(first.id, client=client, if_match=tag, body=BookPatch(title="Hedda"))
assert refused.status_code == HTTPStatus.PRECONDITION_FAILED
error = refused.parsed
assert isinstance(error, BookPreconditionFailedError)

report = {
    "created": {
        "title": first.title,
        "tags": first.tags,
        "price": first.price,
        "unit": first.size.unit if first.size else None,
    },
    "read": {"title": read.parsed.title, "author": read.parsed.author.name},
    "pages": pages,
    "changed": {"title": changed.title, "is_same_revision": changed.revision == first.revision},
    "refused": {"status": error.http_status, "code": error.error_code, "details": len(error.details)},
}
print(json.dumps(report))
