import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { mounts, open, type Transport } from '../pipeline/support/transports.ts';

const MODEL = `
name: desk
limits: { headers_timeout: 500ms, request_timeout: 500ms }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

interface Mounted extends AsyncDisposable {
  readonly desk: ApiUnderTest;
  readonly ask: Transport['ask'];
}

async function mounted(name: (typeof mounts)[number]): Promise<Mounted> {
  const desk = await apiUnderTest(MODEL);
  const way = await open(desk.api, name);
  return {
    desk,
    ask: (target, init) => way.ask(target, init),
    async [Symbol.asyncDispose]() {
      await way.close();
      await desk.close();
    },
  };
}

/** Fields that belong to the connection or the time. */
const CONNECTION_FIELDS = new Set(['connection', 'date', 'keep-alive']);

function comparableHeaders({ headers }: Response): readonly (readonly [name: string, value: string])[] {
  return [...headers].filter(([name]) => !CONNECTION_FIELDS.has(name));
}

/** A POST whose body never ends. */
function stalling(type: string, begin: string): RequestInit {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
  });
  return { method: 'POST', headers: { 'Content-Type': type }, body, duplex: 'half' };
}

/** Reads a body until it ends or is cut off. @returns its lines, and whether it was cut off */
async function received({ body }: Response): Promise<{ readonly lines: readonly string[]; readonly broken: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
    return { lines: text.trimEnd().split('\n'), broken: false };
  } catch {
    return { lines: text.trimEnd().split('\n'), broken: true };
  }
}

describe('a mounted API', { concurrency: true, timeout: 10_000 }, () => {
  for (const name of mounts) {
    it(`[MET-5] responds to HEAD as to GET, without the body: ${name}`, async () => {
      await using api = await mounted(name);
      for (const [target, status] of [
        ['/api/v1/notes', 200],
        ['/api/v1/notes/none', 404],
      ] as const) {
        const headers = { 'X-Correlation-ID': 'same', 'Accept-Encoding': 'identity' };
        const get = await api.ask(target, { headers });
        const head = await api.ask(target, { method: 'HEAD', headers });
        assert.deepEqual([get.status, head.status], [status, status]);
        assert.deepEqual(comparableHeaders(head), comparableHeaders(get));
        const { length } = await get.text();
        assert.deepEqual([await head.text(), head.headers.get('content-length')], ['', String(length)]);
      }
    });

    it(`[LIM-1] times out where a body stalls: ${name}`, async () => {
      await using api = await mounted(name);
      const response = await api.ask('/api/v1/notes', stalling('application/json', '{"id":'));
      assert.equal(response.status, 408);
      assert.match(await response.text(), /"REQUEST_TIMEOUT"/);
    });

    it(`[MET-13] writes the lines before a body stalls, reports them, and cuts the response off: ${name}`, async () => {
      await using api = await mounted(name);
      const response = await api.ask('/api/v1/notes', stalling('application/x-ndjson', '{"id":"a"}\n{"id":'));
      const { lines, broken } = await received(response);
      assert.deepEqual([response.status, lines.length, broken], [200, 2, true]);
      assert.match(lines[0] ?? '', /"status":201/);
      assert.match(lines[1] ?? '', /"REQUEST_TIMEOUT"/);
      assert.deepEqual(
        (await api.desk.newEvents()).map(({ type }) => type),
        ['note.created'],
      );
    });
  }
});
