import type { WebPlatform } from '../platform/web.ts';
import type { EventOptions } from './event-types.ts';
import { EventStreamReader, type StreamedEvent } from './event-stream.ts';
import { describedFailure, FailedRequest } from './request-error.ts';
import { isTemporary, type Transport } from './transport.ts';

/** Milliseconds between the end of a connection and the next one. */
const DELAY = 3_000;
/** Milliseconds without a byte after which a connection is lost: the server sends something every 15 s. */
const SILENCE = 45_000;
/** Characters of one event. */
const MAX_EVENT = 64 * 1024 * 1024;

/** The position of a feed. */
interface FeedPosition {
  /** The sequence after which it continues; null for now. */
  last: string | null;
}

/**
 * The events of the feed, each once and without end: where a connection ends, another continues after the last event.
 *
 * @throws {RequestError} for what another connection would not change
 */
export async function* followEvents(
  transport: Transport,
  options: EventOptions<string>,
  platform: WebPlatform,
): AsyncGenerator<unknown, void> {
  const { signal, headers, after = null } = options;
  const path = `/events${writeEventQuery(options)}`;
  const reached: FeedPosition = { last: after };
  for (;;) {
    const field = reached.last === null ? {} : { 'Last-Event-ID': reached.last };
    const sent = { Accept: 'text/event-stream', ...headers, ...field };
    try {
      const response = await transport.send({ method: 'GET', path, headers: sent, signal }, async (found) => found);
      yield* readEvents(response, reached, signal);
    } catch (error) {
      if (!(error instanceof FailedRequest && isTemporary(error))) throw error;
    }
    signal?.throwIfAborted();
    await platform.wait(DELAY * (0.5 + platform.random()), signal);
    signal?.throwIfAborted();
  }
}

function writeEventQuery({ resources = [], types = [], resource_id: id }: EventOptions<string>): string {
  const pairs = [
    ...resources.map((name) => ['collection', name.replaceAll('_', '-')]),
    ...types.map((type) => ['type', type]),
    ...(id === undefined ? [] : [['resource_id', id]]),
  ];
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** The events of one connection. Ends with it, and with the signal. @throws {FailedRequest} */
async function* readEvents(
  { body, headers, status }: Response,
  reached: FeedPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void> {
  if (body === null || !/^text\/event-stream\b/.test(headers.get('Content-Type') ?? '')) {
    void body?.cancel().catch(() => undefined);
    throw new FailedRequest('CLIENT_RESPONSE_INVALID', 'The response is no feed of events.', { status });
  }
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop);
  // It may have been aborted after the response arrived.
  if (signal?.aborted === true) stop();
  const decoder = new TextDecoder();
  try {
    const events = new EventStreamReader(MAX_EVENT);
    for (;;) {
      const timer = setTimeout(stop, SILENCE);
      const { value } = await reader
        .read()
        .catch(lost)
        .finally(() => clearTimeout(timer));
      if (value === undefined) return;
      yield* receivedEvents(events.push(decoder.decode(value, { stream: true })), reached);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

/** The connection broke off. */
function lost(cause: unknown): never {
  throw new FailedRequest('CLIENT_CONNECTION_FAILED', 'The connection of the feed was lost.', { status: 0, cause });
}

/** @throws {FailedRequest} the error with which the server ends the feed, or an event that is too long */
function* receivedEvents(events: Iterable<StreamedEvent>, reached: FeedPosition): Generator<unknown, void> {
  try {
    for (const event of events) yield* receivedEvent(event, reached);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new FailedRequest('CLIENT_RESPONSE_INVALID', `The feed is invalid: ${cause.message}.`, { status: 0, cause });
  }
}

/** The event of a block, if it has data. @throws {FailedRequest} the error with which the server ends the feed */
function* receivedEvent({ event, id, data }: StreamedEvent, reached: FeedPosition): Generator<unknown, void> {
  if (event === 'error') {
    const error = describedFailure(JSON.parse(data ?? 'null'), null);
    // The next connection has a new token, or is refused.
    if (error === null || error.kind === 'AUTH_TOKEN_EXPIRED') return;
    throw error;
  }
  reached.last = id ?? reached.last;
  if (data !== null) yield JSON.parse(data);
}
