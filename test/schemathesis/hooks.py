"""A check of its own: what the description allows is accepted. Schemathesis has one (positive_data_acceptance), which knows statuses alone; this one knows
error codes, so that each rule which no schema can express is named here with its reason."""

import schemathesis

# Codes of requests that fulfil every schema.
ARGUED = {
    "PAGINATION_CONFLICT": "the positions of pages exclude each other (PAGE-4)",
    "PAGINATION_POSITION_INVALID": "after_id and after_timestamp are sent together",
    "PAGINATION_CURSOR_INVALID": "a cursor is one that the server has made",
    "PAGINATION_CURSOR_MISMATCH": "a cursor is of this query",
    "QUERY_SORT_INVALID": "a list of sort keys has each key once",
    "QUERY_EXPAND_INVALID": "the relations of related resources are too many to be listed",
    "QUERY_FILTER_INVALID": "the values of filters in otherFilters and allFilters have no schema of their own",
    "REQUEST_PARAMETER_UNKNOWN": "the names of filters in the form of QUERY are too many to be listed",
    "REQUEST_PARAMETER_DUPLICATED": "otherFilters may have a name that another parameter has",
    "REQUEST_URI_TOO_LONG": "every parameter has a bound, and all of them together have a smaller one",
    "IDEMPOTENCY_KEY_REUSED": "a key belongs to the request that it was first sent with",
    "BATCH_INVALID": "the paths of operations are those of the API",
}

# Statuses of a request that was not understood. 401, 403, 404, 409, 412 and 5xx depend on more than the request.
REFUSED = {400, 405, 406, 411, 413, 414, 415, 417, 422, 428, 431}

# Bodies of these types are strings and open objects in a schema.
DESCRIBED = ("application/json", "application/merge-patch+json")


@schemathesis.check
def accepts_what_it_describes(ctx, response, case):
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code not in REFUSED:
        return
    # The response to HEAD has no code; GET is checked in its place.
    if case.operation.method.upper() == "HEAD" or not is_described(case):
        return
    error = response.json()
    if error["errorCode"] in ARGUED or depends_on_the_resource(error) or breaks_a_rule_of_json(error):
        return
    if error["errorCode"] == "REQUEST_HEADER_INVALID" and has_no_etag(case):
        return
    raise AssertionError(f"{error['errorCode']}: {error['errorMessage']} {error['details']}")


def is_described(case):
    media_type = case.media_type
    return media_type is None or media_type in DESCRIBED or (media_type.endswith("+json") and "patch" not in media_type)


def depends_on_the_resource(error):
    """An id in a body is that of the URL, a reference leads to a resource, an immutable member has its value, a patch completes an object that is unset."""
    rules = ("must equal the id in the URL", "refers to nothing", "is immutable", "is required")
    return error["errorCode"].endswith("_INVALID") and all(
        detail["message"].startswith(rules) for detail in error["details"]
    )


def has_no_etag(case):
    """The coverage phase generates If-Match: 0, which the pattern of the description does not allow."""
    return any(case.headers.get(name) == "0" for name in ("If-Match", "If-None-Match"))


def breaks_a_rule_of_json(error):
    """Integers of JSON without a schema are safe ones, too (REP-7), and names of its members are safe in JavaScript."""
    return any(rule in error["errorMessage"] for rule in ("an integer must be from", "a member must not be named"))
