import { type Json, toList, member, toText, parseJson } from './client.ts';
import type { KnownRow } from './known-rows.ts';
import { resources } from './resources.ts';
import { checkValues } from './write-scenarios.ts';
import type { Session } from './session.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly status: number;
}

/** Orders beyond which a batch creates none. */
const MOST_ORDERS = 18;

const GROWING = ['create', 'create', 'invalid', 'missing', 'patch', 'delete'] as const;
const SHRINKING = ['invalid', 'missing', 'patch', 'delete', 'delete', 'delete'] as const;

/** Sends a batch of writes to orders, and compares each result with the operation. */
export async function batch(session: Session): Promise<void> {
  const { random, rows } = session;
  const order = resources.find(({ name }) => name === 'orders');
  if (order === undefined) return;
  const known = [...rows.in('/orders')];
  const operations = Array.from({ length: random.integer(1, 6) }, () => operation(session, known));
  const atomic = random.chance(0.5);
  const sent = operations.map(({ method, path, body }) => ({ method, path, body }));
  const response = await session.sendJson('POST', '/batches', { atomic, operations: sent });
  const failing = operations.findIndex(({ status }) => status >= 400);
  if (atomic && failing >= 0) {
    session.equal(response.status, operations[failing]?.status, '[MET-13] the status of the failing operation');
    return checkOrders(session);
  }
  if (!session.equal(response.status, 201, '[MET-13] a batch is created')) return;
  const results = toList(member(response.body, 'results'));
  const statuses = results.map((result) => member(result, 'status'));
  session.equal(
    statuses,
    operations.map(({ status }) => status),
    '[MET-13] the results, in order',
  );
  const failed = operations.filter(({ status }) => status >= 400).length;
  const status = failed === 0 ? 'succeeded' : failed === operations.length ? 'failed' : 'partially_failed';
  session.equal(member(response.body, 'status'), status, '[MET-13] the status of a batch');
  const read = await session.send({ method: 'GET', target: String(response.headers['location']) });
  session.equal(read.body, response.body, '[MET-13] a batch can be read');
  for (const [index, { method, path, status: expected }] of operations.entries()) {
    const body = member(results[index], 'body');
    if (method === 'DELETE' && expected === 204) rows.delete(path);
    if (method === 'POST' && expected === 201) {
      const created = await session.send({ method: 'GET', target: toText(member(member(body, 'links'), 'self')) });
      session.equal(created.body, body, '[MET-13] a created row can be read');
      session.learn(order, created);
    }
    if (method === 'PATCH' && expected === 200 && rows.get(path) !== undefined) {
      const changed = await session.send({ method: 'GET', target: path });
      if (changed.status === 200) session.learn(order, changed);
    }
  }
  return checkOrders(session);
}

function operation({ random }: Session, known: KnownRow[]): Operation {
  const memo = random.text(10);
  const row = known.length === 0 ? null : random.pick(known);
  const grown = known.length > MOST_ORDERS;
  const kind = random.pick(grown ? SHRINKING : GROWING);
  if (kind === 'invalid') return { method: 'POST', path: '/orders', body: { quantity: -1 }, status: 400 };
  if (kind === 'missing') return { method: 'DELETE', path: '/orders/none', status: 404 };
  if (kind === 'create' || row === null) return { method: 'POST', path: '/orders', body: { memo }, status: 201 };
  if (kind === 'patch') return { method: 'PATCH', path: row.path, body: { memo }, status: 200 };
  known.splice(known.indexOf(row), 1);
  return { method: 'DELETE', path: row.path, status: 204 };
}

/** Compares the number of orders with the known ones. */
async function checkOrders(session: Session): Promise<void> {
  const response = await session.send({ method: 'GET', target: '/orders?page=1&limit=1' });
  const total = member(member(response.body, 'page'), 'total_count');
  session.equal(total, session.rows.in('/orders').length, '[MET-13] exactly the successful operations are applied');
}

/** Uploads lines, some invalid, and compares each result with its line. */
export async function upload(session: Session): Promise<void> {
  const { random, rows } = session;
  const order = resources.find(({ name }) => name === 'orders');
  if (order === undefined || rows.in('/orders').length > 25) return;
  const lines = Array.from({ length: random.integer(1, 5) }, () => {
    const values = { quantity: random.integer(0, 9), memo: random.text(10) };
    return random.pick([
      { text: JSON.stringify(values), values, status: 201 },
      { text: JSON.stringify(values), values, status: 201 },
      { text: '{"quantity":-1}', values, status: 400 },
      { text: '{"quantity":1', values, status: 400 },
    ]);
  });
  const response = await session.send({
    method: 'POST',
    target: '/orders',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: lines.map(({ text }) => `${text}\n`).join(''),
  });
  if (!session.equal(response.status, 200, '[MET-13] NDJSON')) return;
  const results = response.text.split('\n').flatMap((line) => (line === '' ? [] : [parseJson(line)]));
  session.equal(results.length, lines.length, '[MET-13] one line out per line in');
  for (const [index, { values, status }] of lines.entries()) {
    const result = results[index] ?? null;
    session.equal(member(result, 'line'), index + 1, '[MET-13] in order');
    if (!session.equal(member(result, 'status'), status, '[MET-13] the status of a line') || status !== 201) continue;
    const read = await session.send({ method: 'GET', target: toText(member(result, 'location')) });
    checkValues(session, order, read, values);
    session.learn(order, read);
  }
}
