import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { hostileRequests, type HostileRequest, KNOWN_REQUESTS } from './hostile-requests.ts';
import { type MeteredServer, meteredServer } from './metered-server.ts';
import { STALL_MODEL } from './stall-model.ts';

/**
 * Milliseconds of processor time that an event-loop iteration may take on a quiet machine: another client waits for it.
 */
const MAX_ITERATION = 500;
/**
 * A request that took longer is sent again: a collection of garbage, or a busy neighbour of the processor, does not
 * repeat.
 */
const ATTEMPTS = 3;
/** Milliseconds in which what a request left to do, such as a commit, is measured with it. */
const REST = 5;

/** A thing with many of everything. */
const LARGE = {
  name: 'large',
  tags: Array.from({ length: 9_000 }, (_, at) => `t${at}`),
  labels: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`l${at}`, 'v'])),
  tree: { a: { k: Array.from({ length: 300 }, (_, at) => `v${at}`) } },
  parts: Array.from({ length: 4_000 }, (_, at) => ({ sku: `s${at}`, n: at })),
};

const many = (count: number, member: (at: number) => readonly [string, unknown]): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => member(at)));
const MAP = { name: 'map', labels: many(60_000, (at) => [String((at * 7_919) % 1_000_003), '1']) };
const TREE = {
  name: 'tree',
  tree: { a: many(12, (at) => [`k${at}`, Array.from({ length: 9_000 }, (_, item) => String(item))]) },
};
const TEXT = { name: '&'.repeat(900_000) };
/** All that is expensive to write. */
const LARGER = [MAP, TREE, TEXT];
/**
 * Two halves of the most expensive thing that is not too large: its members are as many and as short as they can be.
 */
const HALVES = [0, 90_000].map((from) => ({ labels: many(90_000, (at) => [`k${(from + at).toString(36)}`, '']) }));
/** The number of children of each kind below the large thing: all of them fit into one response. */
const CHILDREN = 5;

/** @returns the body of the response; '' where the server ended the connection */
function send(server: MeteredServer, { method, target, headers, body }: Omit<HostileRequest, 'what'>): Promise<string> {
  return new Promise((resolve) => {
    const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = request(`${server.url}${target}`, { method, agent: false, headers: { ...headers, ...length } });
    sent.on('error', () => resolve(''));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(''));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    sent.end(body ?? undefined);
  });
}

/** Milliseconds of the longest iteration that a request caused, at best. */
async function measureCost(server: MeteredServer, sent: Omit<HostileRequest, 'what'>): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > MAX_ITERATION; attempt += 1) {
    await server.longestIteration();
    await send(server, sent);
    await setTimeout(REST);
    const longest = await server.longestIteration();
    least = Math.min(least, longest > MAX_ITERATION ? longest / (await server.slowdown()) : longest);
  }
  return least;
}

/**
 * Sends hostile requests, one after another.
 *
 * @param copies how many of each larger thing there are: a page may have 20 of them
 * @throws {AssertionError} names the first that kept the event loop for too long
 */
export async function assertNoStall(numRuns: number, seed: number, copies: number): Promise<void> {
  await using server = await meteredServer(STALL_MODEL);
  const headers = { 'Content-Type': 'application/json' };
  const create = async (thing: object): Promise<string> => {
    const made = await send(server, { method: 'POST', target: '/v1/things', headers, body: JSON.stringify(thing) });
    const { id }: { readonly id?: string } = JSON.parse(made);
    return id ?? assert.fail(made);
  };
  const [id, grown] = [await create(LARGE), await create({ name: 'grown' })];
  for (const half of HALVES) {
    await send(server, { method: 'PATCH', target: `/v1/things/${grown}`, headers, body: JSON.stringify(half) });
  }
  const operations = Array.from({ length: 5 }, (_, n) => ({ method: 'PATCH', path: `/things/${grown}`, body: { n } }));
  const ran = await send(server, {
    method: 'POST',
    target: '/v1/batches',
    headers,
    body: JSON.stringify({ operations }),
  });
  const { id: batch }: { readonly id: string } = JSON.parse(ran);
  const larger = { method: 'POST', target: '/v1/things', headers: { ...headers, Prefer: 'return=minimal' } };
  for (const thing of LARGER) {
    for (let copy = 0; copy < copies; copy += 1) {
      const body = JSON.stringify(copy < CHILDREN ? { ...thing, parent_id: id } : thing);
      await send(server, { ...larger, body });
    }
  }
  await fc.assert(
    fc.asyncProperty(hostileRequests, async ({ what, target, body, ...others }) => {
      const named = (text: string): string =>
        text.replaceAll('{large}', id).replaceAll('{grown}', grown).replaceAll('{batch}', batch);
      const content = typeof body === 'string' ? named(body) : body;
      const cost = await measureCost(server, { ...others, target: named(target), body: content });
      assert.ok(cost < MAX_ITERATION, `${what} kept the event loop for ${Math.round(cost)} ms`);
    }),
    // A smaller request costs less: there is nothing to shrink.
    { numRuns, seed, endOnFailure: true, examples: KNOWN_REQUESTS.map((known) => [known]) },
  );
}
