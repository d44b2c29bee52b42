/**
 * The value of `Accept-Query` (RFC 10008 3, MET-5): a list of media types as structured fields. A token may hold a slash (RFC 9651 3.3.4), so
 * that the type stands as it is.
 */
export const ACCEPT_QUERY = 'application/x-www-form-urlencoded';
