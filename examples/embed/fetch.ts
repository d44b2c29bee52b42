import { createFetchHandler } from '../../src/http/fetch.ts';
import { startApi } from '../../src/index.ts';
import { model } from './notes.ts';

/** A function from `Request` to `Response`, for Bun, Deno, Hono and Next.js. */
export async function buildHandler(
  database: string,
): Promise<{ readonly handle: (request: Request) => Promise<Response>; readonly close: () => Promise<void> }> {
  const { api, close } = await startApi({ model, database });
  const answer = createFetchHandler(api);
  const handle = async (request: Request): Promise<Response> =>
    new URL(request.url).pathname === '/hello' ? new Response('world') : answer(request);
  return { handle, close };
}
