import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import { serveHttp } from '../../../src/http/serve-http.ts';
import { type ApiUnderTest, apiUnderTest, type Setting } from '../../pipeline/support/api-under-test.ts';

/** An API that listens. */
export interface ServedApi extends ApiUnderTest {
  readonly port: number;
  /** Stops the server as a shutdown does. @returns the requests that were cut off */
  stop(): Promise<number>;
}

export async function served(model: string, setting: Setting = {}): Promise<ServedApi> {
  const under = await apiUnderTest(model, setting);
  const server = await serveHttp({ api: under.api, port: 0 });
  return {
    ...under,
    port: server.port,
    stop: () => server.close(),
    async [Symbol.asyncDispose]() {
      await server.close();
      await under.close();
    },
  };
}

/** A feed as a client of `eventsource-parser` reads it. */
export interface FollowedFeed extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** Everything that was received. */
  readonly text: () => string;
  readonly messages: readonly EventSourceMessage[];
  /** The milliseconds after which the server wants to be asked again. */
  readonly retry: () => number | undefined;
  readonly envelopes: () => readonly EventEnvelope[];
  /** Waits for so many events. */
  readonly received: (count: number) => Promise<void>;
  /** Resolves at the end of the response. */
  readonly ended: Promise<void>;
}

/** Follows the feed of a server. */
export async function follow(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FollowedFeed> {
  const controller = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}${target}`, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const messages: EventSourceMessage[] = [];
  let text = '';
  let retry: number | undefined;
  const parser = createParser({
    onEvent: (message) => void messages.push(message),
    onRetry: (milliseconds) => (retry = milliseconds),
    onError: (error) => assert.fail(error),
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const piece = decoder.decode(chunk, { stream: true });
      text += piece;
      if (response.status === 200) parser.feed(piece);
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    messages,
    retry: () => retry,
    envelopes: () => messages.map(({ data }) => JSON.parse(data)),
    received: (count) => until(() => messages.length >= count),
    ended,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await ended;
    },
  };
}

/** Waits until something holds. */
export async function until(holds: () => boolean, milliseconds = 5_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!holds()) {
    assert.ok(performance.now() < end, 'it took too long');
    await setTimeout(5);
  }
}
