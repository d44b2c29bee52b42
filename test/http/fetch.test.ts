import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../src/conventions/errors.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import type { ApiResponse, RequestBody, BufferedResponse } from '../../src/exchange/handler.ts';
import { limits, refuse } from './fake-server.ts';

const LIMIT = 10;

/** A request to an API that does one thing with its body. The test controls the time. */
interface Sending {
  readonly response: Promise<Response>;
  /** Sends more of the body. */
  readonly send: (text: string) => Promise<void>;
  readonly fail: (error: Error) => void;
  readonly pass: (milliseconds: number) => Promise<void>;
  /** True if the source of the body was cancelled. */
  readonly cancelled: () => boolean;
}

function sending(
  context: TestContext,
  use: (body: RequestBody) => ApiResponse | Promise<ApiResponse>,
  cancelling: Promise<void> = Promise.resolve(),
): Sending {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let cancelled = false;
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (source = controller),
    cancel: () => {
      cancelled = true;
      return cancelling;
    },
  });
  const handle = createFetchHandler({
    model: { basePath: '', limits: { ...limits, requestTimeout: 30_000 } },
    handle: async (request) => {
      try {
        return await use(request.body ?? assert.fail());
      } catch (error) {
        return refuse(error, request);
      }
    },
    refuse,
  });
  const response = handle(new Request('http://localhost/', { method: 'POST', body, duplex: 'half' }));
  return {
    response,
    async send(text) {
      source?.enqueue(new TextEncoder().encode(text));
      await setImmediate();
    },
    fail: (error) => source?.error(error),
    async pass(milliseconds) {
      context.mock.timers.tick(milliseconds);
      await setImmediate();
    },
    cancelled: () => cancelled,
  };
}

const whole = async (body: RequestBody): Promise<BufferedResponse> => ({
  status: 200,
  headers: [],
  body: await body.read(LIMIT),
});

/** Echoes each chunk of the body as it arrives. */
const piecewise = (body: RequestBody): ApiResponse => {
  const decoder = new TextDecoder();
  const pieces = async function* pieces(): AsyncGenerator<string> {
    for await (const chunk of body.chunks()) yield decoder.decode(chunk);
  };
  return { status: 200, headers: [], body: pieces() };
};

async function readCode(pending: Promise<Response>): Promise<unknown> {
  const response = await pending;
  const { errorCode } = JSON.parse(await response.text());
  return [response.status, errorCode];
}

describe('the body of a Request', { timeout: 10_000 }, () => {
  it('[LIM-1] times out where it has not arrived completely, and its source is cancelled', async (context) => {
    const { response, send, pass, cancelled } = sending(context, whole);
    await send('abc');
    await pass(20_000);
    await send('def');
    assert.equal(cancelled(), false);
    await pass(10_000);
    assert.deepEqual(await readCode(response), [408, 'REQUEST_TIMEOUT']);
    assert.equal(cancelled(), true);
  });

  it('[LIM-1] times out also where its source ignores the cancellation', async (context) => {
    const { response, pass } = sending(context, whole, new Promise(() => undefined));
    await pass(30_000);
    assert.deepEqual(await readCode(response), [408, 'REQUEST_TIMEOUT']);
  });

  it('[MET-13] streams for as long as chunks arrive, and times out where it stalls', async (context) => {
    const { response, send, pass, cancelled } = sending(context, piecewise);
    const { status, body } = await response;
    assert.equal(status, 200);
    const reader = body?.getReader() ?? assert.fail();
    for (const text of ['a', 'b', 'c']) {
      const coming = reader.read();
      await pass(20_000);
      await send(text);
      assert.deepEqual((await coming).value, new TextEncoder().encode(text));
    }
    const coming = assert.rejects(reader.read(), (error: unknown) => {
      return error instanceof ApiError && error.code === 'REQUEST_TIMEOUT';
    });
    await pass(30_000);
    await coming;
    assert.equal(cancelled(), true);
  });

  it('[LIM-1] is rejected as soon as it exceeds the limit, and the rest is not pulled', async (context) => {
    const { response, send, cancelled } = sending(context, whole);
    await send('x'.repeat(LIMIT));
    assert.equal(cancelled(), false);
    await send('x');
    assert.deepEqual(await readCode(response), [413, 'REQUEST_BODY_TOO_LARGE']);
    assert.equal(cancelled(), true);
  });

  it('[URL-8] responds 400 where it is incomplete', async (context) => {
    const { response, send, fail } = sending(context, whole);
    await send('abc');
    fail(new Error('reset'));
    assert.deepEqual(await readCode(response), [400, 'REQUEST_MALFORMED']);
  });
});
