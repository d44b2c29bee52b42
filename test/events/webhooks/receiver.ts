import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: EventEnvelope;
}

/** The response of a receiver. */
export type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** A receiver on this machine that records its requests. */
export interface TestReceiver extends AsyncDisposable {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The response from now on. Default: 204. */
  respond: Respond;
  /** The types of the received events. */
  types(): readonly string[];
}

/** Starts a receiver. @param respond default: 204 */
export async function startReceiver(respond: Respond = status(204)): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const body = await text(request);
      const received = { headers: request.headers, body, event: JSON.parse(body) };
      requests.push(received);
      receiver.respond(received, response);
    };
    void take();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${address.port}/`,
    requests,
    respond,
    types: () => requests.map(({ event }) => event.type),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Responds with a status. */
export function status(code: number, headers: Record<string, string> = {}): Respond {
  return (_request, response) => void response.writeHead(code, headers).end(`status ${code}`);
}
