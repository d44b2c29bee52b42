import { createFetchHandler } from '../../src/http/fetch.ts';
import { openApi } from '../../src/index.ts';
import { model } from './notes.ts';

/** A handler from `Request` to `Response`, as Bun, Deno, Hono and Next.js take it. */
export async function buildHandler(
  database: string,
): Promise<{ readonly handle: (request: Request) => Promise<Response>; readonly close: () => Promise<void> }> {
  const { api, close } = await openApi({ model, database });
  const answer = createFetchHandler(api);
  const handle = async (request: Request): Promise<Response> =>
    new URL(request.url).pathname === '/hello' ? new Response('world') : answer(request);
  return { handle, close };
}
