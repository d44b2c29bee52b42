import { type Json, type JsonObject, toList, member, type Received, type Request, toText } from './client.ts';
import { encode, makeValues } from './bodies.ts';
import { rowCollection, type KnownRow } from './known-rows.ts';
import type { Resource } from './resources.ts';
import type { Session } from './session.ts';

/** Rows of one collection beyond which rows are deleted, so that walks stay short. */
const MOST_ROWS = 25;

/** Creates a row, in any format, sometimes with a fault, a dry run or `return=minimal`. */
export async function create(session: Session): Promise<void> {
  const { random, rows } = session;
  const collection = rows.anyCollection(random);
  if (collection === null || rows.in(collection.path).length > MOST_ROWS) return remove(session);
  const { resource, path } = collection;
  const values = { ...newId(resource, session), ...makeValues(resource, random), ...reference(resource, session) };
  if (resource.clientId && rows.get(`${path}/${toText(values['id'])}`) !== undefined) {
    return createAgain(session, resource, path, values);
  }
  if (resource.clientId && random.chance(0.3)) return createByPut(session, resource, path, values);
  if (random.chance(0.12)) return createWithFault(session, resource, path, values);
  const { headers, body } = encode(resource, values, random);
  const dry = random.chance(0.07);
  const minimal = !dry && random.chance(0.1);
  const target = `${path}${dry ? '?dry_run=true' : ''}`;
  const response = await session.send({
    method: 'POST',
    target,
    headers: { ...headers, ...(minimal ? { Prefer: 'return=minimal' } : {}) },
    body: body ?? '',
  });
  if (!session.equal(response.status, dry ? 200 : 201, '[MET-1] a valid body is created')) return;
  if (dry) return checkDryRun(session, response);
  const { location = '' } = response.headers;
  if (minimal) {
    session.equal(response.bytes.length, 0, '[MET-8] return=minimal has no body');
    session.equal(response.headers['preference-applied'], 'return=minimal', '[MET-8] Preference-Applied');
  } else {
    session.equal(response.headers['content-location'], location, '[MET-1] Location and Content-Location');
    checkValues(session, resource, response, values);
  }
  const etag = response.headers['etag'];
  const read = await session.send({ method: 'GET', target: location });
  if (!session.equal(read.status, 200, '[MET-1] Location can be read')) return;
  session.equal(read.headers['etag'], etag, '[CACHE-1] GET has the ETag of the POST');
  if (!minimal) session.equal(read.text, response.text, '[MET-1] GET has the body of the POST');
  session.learn(resource, read);
}

function newId(resource: Resource, { random }: Session): JsonObject {
  if (!resource.clientId) return {};
  // Few ids, so that rows below several parents have the same one.
  if (resource.parent !== null) return { id: `${random.integer(1, 6)}` };
  return {
    id: `${random.pick(['n', 'a/b', 'é', '%41', '+', 'x y', '#?', '😀', '..x', '"'])}${random.integer(0, 1e9)}`,
  };
}

function reference(resource: Resource, { random, rows }: Session): JsonObject {
  const author = resource.name === 'books' && random.chance(0.5) ? rows.in('/authors')[0] : undefined;
  return author === undefined ? {} : { author_id: author.id };
}

/** Creates a row whose id exists in its collection. */
async function createAgain(session: Session, { singular }: Resource, path: string, values: JsonObject): Promise<void> {
  const response = await session.sendJson('POST', path, values);
  session.equal(response.status, 409, '[MET-10] an id that exists');
  const code = `${singular.toUpperCase()}_ALREADY_EXISTS`;
  session.equal(member(response.body, 'errorCode'), code, '[MET-10] the code of an id that exists');
}

/** Creates a row by PUT, where clients choose the id. */
async function createByPut(session: Session, resource: Resource, path: string, values: JsonObject): Promise<void> {
  const target = `${path}/${encodeURIComponent(toText(values['id']))}`;
  const missing = await session.sendJson('PUT', target, values, { 'If-Match': '"1"' });
  session.equal(missing.status, 412, '[CACHE-3] If-Match on a PUT that would create');
  const response = await session.sendJson('PUT', target, values);
  if (!session.equal(response.status, 201, '[MET-2] PUT creates')) return;
  checkValues(session, resource, response, values);
  const read = await session.send({ method: 'GET', target: response.headers['location'] ?? '' });
  session.equal(read.text, response.text, '[MET-2] GET has the body of the PUT');
  session.learn(resource, read);
}

async function createWithFault(session: Session, resource: Resource, path: string, values: JsonObject): Promise<void> {
  const { random } = session;
  const field = random.pick(resource.fields);
  const unknown = random.chance(0.3);
  const name = unknown ? `unknown_${field.name}` : field.name;
  const response = await session.sendJson('POST', path, { ...values, [name]: unknown ? null : field.bad });
  if (!session.equal(response.status, 400, '[ERR-3] an invalid body is rejected')) return;
  const code = `${resource.singular.toUpperCase()}_INVALID`;
  session.equal(member(response.body, 'errorCode'), code, '[ERR-2] the code of a validation error');
  const fields = toList(member(response.body, 'details')).map((detail) => toText(member(detail, 'field')));
  const named = fields.every((each) => each === name || each.startsWith(`${name}.`) || each.startsWith(`${name}[`));
  session.check(fields.length > 0 && named, '[ERR-3] details name the field', fields.join());
}

function checkDryRun(session: Session, response: Received): void {
  const { headers } = response;
  session.equal(headers['dry-run'], 'true', '[MET-14] Dry-Run');
  const extra = ['location', 'content-location', 'etag'].filter((name) => headers[name] !== undefined);
  session.equal(extra, [], '[MET-14] no Location, Content-Location, ETag');
}

/** Checks that a representation has the values that were written, and the preset of others. */
export function checkValues(
  session: Session,
  resource: Resource,
  { body }: Received,
  values: Readonly<Record<string, Json | undefined>>,
): void {
  for (const { name, preset = null } of resource.fields) {
    session.equal(member(body, name), values[name] ?? preset, `[REP-4] ${resource.singular}.${name} as written`);
  }
}

/** Replaces a row, or changes it by one of the patch formats, with or without preconditions. */
export async function change(session: Session): Promise<void> {
  const { random, rows } = session;
  const row = rows.any(random);
  if (row === null) return;
  const kind = random.pick(['put', 'merge', 'json', 'unchanged', 'stale', 'state', 'missing'] as const);
  switch (kind) {
    case 'put':
      return replace(session, row);
    case 'merge':
    case 'json':
      return patch(session, row, kind);
    case 'unchanged':
      return writeUnchanged(session, row);
    case 'stale':
      return writeStale(session, row);
    case 'state':
      return changeState(session);
    case 'missing': {
      const response = await session.sendJson('PATCH', `${rowCollection(row.path)}/none`, {}, { 'If-Match': '"1"' });
      session.equal(response.status, 404, '[URL-6] a missing target');
    }
  }
}

/** `If-Match` with the current revision: always where the model requires it, else sometimes. */
function precondition({ resource, representation }: KnownRow, { random }: Session): Record<string, string> {
  const tag = `"${toText(representation['revision'])}"`;
  return resource.name === 'notes' || random.chance(0.3) ? { 'If-Match': tag } : {};
}

async function replace(session: Session, row: KnownRow): Promise<void> {
  const { random } = session;
  const fixed = row.resource.fields.filter(({ immutable }) => immutable).map(({ name }) => name);
  const kept = Object.fromEntries(fixed.map((name) => [name, row.representation[name] ?? null]));
  const values = { ...makeValues(row.resource, random), ...kept };
  const { headers, body } = encode(row.resource, values, random);
  const response = await session.send({
    method: 'PUT',
    target: row.path,
    headers: { ...headers, ...precondition(row, session) },
    body: body ?? '',
  });
  if (!session.equal(response.status, 200, '[MET-2] PUT replaces')) return;
  checkValues(session, row.resource, response, values);
  await afterWrite(session, row, response);
}

/** Compares the response of a write with a GET, and remembers the row. */
async function afterWrite(session: Session, row: KnownRow, response: Received): Promise<void> {
  session.equal(response.headers['content-location'], `/api/v1${row.path}`, '[MET-2] Content-Location');
  session.equal(member(response.body, 'created_at'), row.representation['created_at'], '[REP-1] created_at stays');
  const read = await session.send({ method: 'GET', target: row.path });
  session.equal(read.text, response.text, '[MET-2] GET has the body of the write');
  if (read.status === 200) session.learn(row.resource, read);
}

async function patch(session: Session, row: KnownRow, kind: 'merge' | 'json'): Promise<void> {
  const { random } = session;
  const fields = random.some(
    row.resource.fields.filter(({ immutable }) => immutable !== true),
    0.5,
  );
  const merged = fields.filter(({ kind: each }) => kind === 'json' || (each !== 'map' && each !== 'object'));
  const values = Object.fromEntries(merged.map(({ name, make }) => [name, make(random)]));
  const operations = Object.entries(values).flatMap(([name, value]) => [
    ...(random.chance(0.3) ? [{ op: 'test', path: `/${name}`, value: row.representation[name] ?? null }] : []),
    { op: random.pick(['add', 'replace']), path: `/${name}`, value },
  ]);
  const response = await session.send({
    method: 'PATCH',
    target: row.path,
    headers: {
      'Content-Type': kind === 'json' ? 'application/json-patch+json' : random.pick(MERGE_TYPES),
      ...precondition(row, session),
    },
    body: JSON.stringify(kind === 'json' ? operations : values),
  });
  if (!session.equal(response.status, 200, '[MET-3] PATCH changes')) return;
  const expected = Object.fromEntries(
    row.resource.fields.map(({ name }) => [name, name in values ? values[name] : row.representation[name]]),
  );
  checkValues(session, row.resource, response, expected);
  await afterWrite(session, row, response);
}

const MERGE_TYPES = ['application/merge-patch+json', 'application/json'];

async function writeUnchanged(session: Session, row: KnownRow): Promise<void> {
  const headers = { 'If-Match': `"${toText(row.representation['revision'])}"` };
  const response = await session.sendJson('PUT', row.path, row.representation, headers);
  if (!session.equal(response.status, 200, '[REP-6] GET, then PUT')) return;
  session.equal(response.body, row.representation, '[MET-7] a write that changes nothing');
}

async function writeStale(session: Session, row: KnownRow): Promise<void> {
  const { random } = session;
  const method = random.pick(['PUT', 'PATCH', 'DELETE']);
  const tag = random.pick(['"0"', `"${Number(row.representation['revision']) + 100_000}"`, 'W/"1"', '"x", "y"']);
  const response = await session.sendJson(
    method,
    row.path,
    { [row.resource.fields[0]?.name ?? '']: [] },
    { 'If-Match': tag },
  );
  session.equal(response.status, 412, '[CACHE-3] a stale tag comes before an invalid body');
  if (row.resource.name !== 'notes') return;
  const without = await session.sendJson(method, row.path, {});
  session.equal(without.status, 428, '[CACHE-3] require_if_match');
}

const MOVES: readonly string[] = ['DRAFT-DRAFT', 'DRAFT-ACTIVE', 'ACTIVE-ACTIVE', 'ACTIVE-CLOSED', 'CLOSED-CLOSED'];

async function changeState(session: Session): Promise<void> {
  const { random, rows } = session;
  const books = rows.in('/books');
  if (books.length === 0) return;
  const row = random.pick(books);
  const to = random.pick(['DRAFT', 'ACTIVE', 'CLOSED']);
  const allowed = MOVES.includes(`${toText(row.representation['status'])}-${to}`);
  const response = await session.sendJson('PATCH', row.path, { status: to });
  session.equal(response.status, allowed ? 200 : 409, '[MET-11] transitions');
  if (allowed && response.status === 200) await afterWrite(session, row, response);
}

/** Deletes a row with everything below it. */
export async function remove(session: Session): Promise<void> {
  const { random, rows } = session;
  const row = rows.any(random);
  if (row === null) return;
  const headers = precondition(row, session);
  if (random.chance(0.1)) {
    const dry = await session.send({ method: 'DELETE', target: `${row.path}?dry_run=true`, headers });
    session.equal(dry.status, 200, '[MET-14] a dry run of DELETE');
    return checkDryRun(session, dry);
  }
  const response = await session.send({ method: 'DELETE', target: row.path, headers });
  if (!session.equal(response.status, 204, '[MET-4] DELETE')) return;
  const referring = rows.delete(row.path);
  for (const each of referring) await session.refresh(each);
  const method = random.pick(['GET', 'DELETE', 'HEAD', 'PATCH']);
  const again = await session.sendJson(method, row.path, {}, { 'If-Match': '"1"' });
  session.equal(again.status, 404, '[MET-4] a deleted row is missing');
}

/** Repeats a POST or PATCH with its idempotency key. */
export async function repeatWithKey(session: Session): Promise<void> {
  const { random } = session;
  const key = `key-${random.integer(0, 1e12)}-${session.requests}`;
  const quoted = random.chance(0.5) ? `"${key}"` : key;
  const body = JSON.stringify({ quantity: random.integer(0, 9), memo: random.text(20) });
  const request: Request = {
    method: 'POST',
    target: '/orders',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': quoted },
    body,
  };
  const first = await session.send(request);
  if (!session.equal(first.status, 201, '[MET-12] the first request')) return;
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const again = await session.send({ ...request, headers });
  session.equal(again.status, 201, '[MET-12] a replay has the status');
  session.equal(again.text, first.text, '[MET-12] a replay has the body');
  session.equal(again.headers['idempotent-replayed'], 'true', '[MET-12] Idempotent-Replayed');
  for (const name of ['etag', 'location', 'content-location', 'content-type', 'cache-control', 'vary']) {
    session.equal(again.headers[name], first.headers[name], `[MET-12] a replay has ${name}`);
  }
  const other = await session.send({ ...request, headers, body: '{"quantity":999}' });
  session.equal(other.status, 422, '[MET-12] another request under the key');
  const location = String(first.headers['location']);
  const removed = await session.send({ method: 'DELETE', target: location });
  session.equal(removed.status, 204, '[MET-4] DELETE');
}
