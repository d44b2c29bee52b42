import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { createListener } from '../../src/http/listener.ts';
import type { MountedApi } from '../../src/http/mounted-api.ts';
import type { ApiResponse } from '../../src/exchange/handler.ts';
import { fakeServer, fakeOptions, limits } from './fake-server.ts';
import { serveHost } from './host-server.ts';

interface LateStream {
  readonly handle: () => Promise<ApiResponse>;
  /** Responds. @returns once the body is stopped */
  readonly respond: () => Promise<void>;
}

/** A streamed response that comes when the test says. */
function lateStream(): LateStream {
  const answer = Promise.withResolvers<ApiResponse>();
  const stopped = Promise.withResolvers<void>();
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: (): Promise<IteratorResult<string>> => assert.fail('nobody reads it'),
      return: async (): Promise<IteratorResult<string>> => {
        stopped.resolve();
        return { done: true, value: undefined };
      },
    }),
  };
  return {
    handle: () => answer.promise,
    respond: () => {
      answer.resolve({ status: 200, headers: [], body });
      return stopped.promise;
    },
  };
}

function mounted(handle: LateStream['handle']): MountedApi {
  const { api } = fakeOptions();
  return { ...api, handle, model: { basePath: '', limits: { ...limits, handlerTimeout: 60 } } };
}

describe('a streamed response that comes after the handler timeout', () => {
  it('[LIM-1] is stopped by the server', async () => {
    const { handle, respond } = lateStream();
    await using server = await fakeServer({ handle, limits: { handlerTimeout: 60 } });
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/`)).status, 503);
    await respond();
  });

  it('[LIM-1] is stopped where the API is mounted in another server', async () => {
    const { handle, respond } = lateStream();
    await using server = await serveHost(createListener(mounted(handle)));
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/`)).status, 503);
    await respond();
  });

  it('[LIM-1] is stopped by a fetch handler', async () => {
    const { handle, respond } = lateStream();
    const response = await createFetchHandler(mounted(handle))(new Request('http://localhost/'));
    assert.equal(response.status, 503);
    await respond();
  });
});
