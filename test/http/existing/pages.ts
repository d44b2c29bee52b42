import assert from 'node:assert/strict';
import type { ApiUnderTest } from '../../pipeline/support/api-under-test.ts';

/** Lists the ids of a page, in its order. */
export async function listIds(
  api: ApiUnderTest,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { status, body, text } = await api.send({ send: `GET /api/v1/${target}`, headers });
  assert.equal(status, 200, `${target}: ${text}`);
  return body.data.map(({ id }: { id: string }) => id);
}

/** Follows a link from page to page. @returns the ids of all pages, each of which is there once */
export async function walkPages(api: ApiUnderTest, first: string, link: 'next' | 'prev'): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (let target: string | undefined = `/api/v1/${first}`; target !== undefined; ) {
    const { status, body, text } = await api.send({ send: `GET ${target}` });
    assert.equal(status, 200, text);
    const page: readonly string[] = body.data.map(({ id }: { id: string }) => id);
    for (const id of link === 'prev' ? page.toReversed() : page) {
      assert.ok(!ids.has(id), `${first} repeats ${id}`);
      ids.add(id);
    }
    target = body.links[link];
  }
  return [...ids];
}

/** Checks that no method writes a resource: alone, and as an operation of a batch (MET-1). */
export async function assertReadOnly(api: ApiUnderTest, resource: string, id: string): Promise<void> {
  const operations: { readonly method: string; readonly path: string; readonly body?: object }[] = [];
  for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
    const path = method === 'POST' ? `/${resource}` : `/${resource}/${id}`;
    const expectHeaders = { Allow: method === 'POST' ? 'GET, HEAD, QUERY, OPTIONS' : 'GET, HEAD, OPTIONS' };
    await api.row({ send: `${method} /api/v1${path}`, body: {}, status: 405, expectHeaders });
    operations.push({ method, path, ...(method === 'DELETE' ? {} : { body: {} }) });
  }
  const each = await api.send({ send: 'POST /api/v1/batches', body: { atomic: false, operations } });
  assert.deepEqual(
    each.body.results.map(({ status }: { status: number }) => status),
    operations.map(() => 405),
  );
  await api.row({ send: 'POST /api/v1/batches', body: { operations }, status: 405 });
}
