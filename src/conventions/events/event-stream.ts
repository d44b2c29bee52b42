// Server-sent events (WHATWG HTML 9.2), as feeds have them (EVT-8).

/** The milliseconds after which a reader connects again whose connection ended. */
const RETRY = 3_000;

/** One event. @param data without line breaks, such as JSON */
export function streamEvent(id: string, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/**
 * The beginning of a feed. An id without data is no event: it says where the feed continues if it breaks off before its
 * first event.
 */
export function streamStart(id: string): string {
  return `retry: ${RETRY}\nid: ${id}\n\n`;
}

/** Writes a heartbeat, which keeps a connection open and reports the position of the feed. */
export function streamHeartbeat(id: string): string {
  return `: heartbeat\nid: ${id}\n\n`;
}

/**
 * Writes the error that ends a feed. It has no id, so that the reader continues after the last event.
 *
 * @param data JSON of the error
 */
export function streamError(data: string): string {
  return `event: error\ndata: ${data}\n\n`;
}
