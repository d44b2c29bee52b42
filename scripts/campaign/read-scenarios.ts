import { isObject, type JsonObject, toList, member, type Received, toText } from './client.ts';
import type { KnownRow } from './known-rows.ts';
import type { Session } from './session.ts';

const TYPES: readonly (readonly [accept: string, type: RegExp])[] = [
  ['application/json', /^application\/json$/],
  ['*/*', /^application\/json$/],
  ['application/xml', /^application\/xml$/],
  ['text/plain', /^text\/plain; charset=utf-8$/],
  ['application/vnd.campaign.v1+json', /^application\/vnd\.campaign\.v1\+json$/],
  ['application/vnd.campaign.v1.2+json', /^application\/vnd\.campaign\.v1/],
  ['application/json;q=0.1, application/xml', /^application\/xml$/],
  ['image/png, application/json;q=0.5', /^application\/json$/],
];

/** Reads a row in one of many ways. */
export async function readRow(session: Session): Promise<void> {
  const row = session.rows.any(session.random);
  if (row === null) return;
  const ways = [readJson, readTypes, readConditionally, readHead, readCodings, readFields, readExpanded, readVersions];
  await session.random.pick(ways)(session, row);
}

async function readJson(session: Session, row: KnownRow): Promise<void> {
  const response = await session.send({ method: 'GET', target: row.path });
  session.equal(response.status, 200, '[MET-1] a row that exists');
  session.equal(response.body, row.representation, '[MET-1] GET shows the last write');
}

async function readTypes(session: Session, row: KnownRow): Promise<void> {
  const [accept, type] = session.random.pick(TYPES);
  const response = await session.send({ method: 'GET', target: row.path, headers: { Accept: accept } });
  session.equal(response.status, 200, `[NEG-1] Accept: ${accept}`);
  session.check(type.test(response.headers['content-type'] ?? ''), '[NEG-1] Content-Type', accept);
  if (/xml/.test(accept)) {
    session.check(response.text.includes(`<${row.resource.singular} `), '[NEG-4] the root element');
    return;
  }
  if (accept === 'text/plain') {
    const lines = response.text.split('\n');
    session.check(
      lines.some((line) => line.startsWith('id: ')),
      '[NEG-6] a line for each field',
    );
    return;
  }
  session.equal(response.body, row.representation, '[NEG-1] the JSON types have one body');
}

async function readConditionally(session: Session, row: KnownRow): Promise<void> {
  const { random } = session;
  const headers = random.chance(0.3) ? { Accept: 'application/xml' } : {};
  const target = `${row.path}${random.chance(0.3) ? `?fields=${row.resource.members[0]}` : ''}`;
  const full = await session.send({ method: 'GET', target, headers });
  const tag = full.headers['etag'] ?? '';
  const sent = random.pick([tag, `W/${tag}`, `"other", ${tag}`, '*']);
  const method = random.pick(['GET', 'GET', 'HEAD']);
  const response = await session.send({ method, target, headers: { ...headers, 'If-None-Match': sent } });
  if (!session.equal(response.status, 304, '[CACHE-2] If-None-Match')) return;
  for (const name of ['etag', 'cache-control', 'vary', 'content-location']) {
    session.equal(response.headers[name], full.headers[name], `[CACHE-2] a 304 has ${name} of the 200`);
  }
  const other = await session.send({ method: 'GET', target, headers: { ...headers, 'If-None-Match': '"other"' } });
  session.equal(other.status, 200, '[CACHE-2] another tag');
  const failed = await session.send({ method: 'GET', target, headers: { ...headers, 'If-Match': '"other"' } });
  session.equal(failed.status, 412, '[CACHE-3] If-Match on GET');
}

/** Fields that are the same on GET and HEAD. */
const STABLE = ['etag', 'content-type', 'content-length', 'cache-control', 'vary', 'link', 'api-version', 'allow'];

async function readHead(session: Session, row: KnownRow): Promise<void> {
  const { random } = session;
  const target = random.pick([row.path, `/${row.resource.name}`, '/none', `${row.path}?fields=none`, '', '/batches']);
  const headers = random.chance(0.5) ? { Accept: 'application/xml' } : {};
  const full = await session.send({ method: 'GET', target, headers });
  const head = await session.send({ method: 'HEAD', target, headers });
  session.equal(head.status, full.status, '[MET-5] HEAD has the status of GET');
  const names = full.status < 400 ? STABLE : STABLE.filter((name) => name !== 'content-length');
  for (const name of names) session.equal(head.headers[name], full.headers[name], `[MET-5] HEAD has ${name} of GET`);
}

async function readCodings(session: Session, row: KnownRow): Promise<void> {
  const target = session.random.pick([
    row.path,
    `/${row.resource.parent === null ? row.resource.name : 'books'}?limit=20`,
  ]);
  const seen: Received[] = [];
  for (const coding of [undefined, 'gzip', 'br, gzip', 'zstd', 'identity', 'gzip;q=0, identity']) {
    const headers = coding === undefined ? {} : { 'Accept-Encoding': coding };
    const response = await session.send({ method: 'GET', target, headers });
    const applied = response.headers['content-encoding'];
    session.check(applied === undefined || coding?.includes(applied) === true, '[NEG-7] a coding that was asked for');
    for (const earlier of seen) {
      session.equal(response.text, earlier.text, '[NEG-7] one body in every coding');
      const sameBytes = response.bytes.equals(earlier.bytes);
      const sameTag = response.headers['etag'] === earlier.headers['etag'];
      session.check(sameBytes === sameTag, '[NEG-7] the ETag follows the coding that was applied', coding);
    }
    seen.push(response);
  }
}

async function readFields(session: Session, row: KnownRow): Promise<void> {
  const { random } = session;
  const names = random.some(row.resource.members, 0.4);
  if (names.length === 0) return;
  const separator = random.pick([',', '%2C']);
  const response = await session.send({ method: 'GET', target: `${row.path}?fields=${names.join(separator)}` });
  if (!session.equal(response.status, 200, '[QRY-4] fields')) return;
  const wanted = new Set<string>(['id', ...names, 'revision', 'links']);
  const expected = Object.entries(row.representation).filter(([name]) => wanted.has(name));
  session.equal(response.body, Object.fromEntries(expected), '[QRY-4] the selected fields');
}

async function readExpanded(session: Session, row: KnownRow): Promise<void> {
  const { rows } = session;
  switch (row.resource.name) {
    case 'books': {
      const response = await session.send({ method: 'GET', target: `${row.path}?expand=author,reviews` });
      if (!session.equal(response.status, 200, '[QRY-4] expand')) return;
      const author = rows.get(`/authors/${toText(row.representation['author_id'])}`)?.representation ?? null;
      session.equal(member(response.body, 'author'), author, '[QRY-4] a to-one relation');
      checkRelated(session, response, 'reviews', rows.in(`${row.path}/reviews`));
      return;
    }
    case 'authors': {
      const response = await session.send({ method: 'GET', target: `${row.path}?expand=books` });
      if (!session.equal(response.status, 200, '[QRY-4] expand')) return;
      const books = rows.in('/books').filter((book) => book.representation['author_id'] === row.id);
      checkRelated(session, response, 'books', books);
      return;
    }
    default: {
      const response = await session.send({ method: 'GET', target: `${row.path}?expand=none` });
      session.equal(response.status, 400, '[QRY-4] an unknown relation');
    }
  }
}

function checkRelated(session: Session, { body }: Received, name: string, related: readonly KnownRow[]): void {
  const page = member(body, name);
  const data = toList(member(page, 'data'));
  const expected = related
    .map(({ representation }) => representation)
    .toSorted(byCreation)
    .slice(0, 20);
  session.equal(data, expected, '[QRY-4] the first 20 of a to-many relation');
  const names = isObject(page) ? Object.keys(page) : [];
  session.equal(names, ['data', 'page', 'links'], '[QRY-4] a to-many relation is a page');
}

function byCreation(one: JsonObject, other: JsonObject): number {
  const keyOf = (row: JsonObject): string => `${toText(row['created_at'])} ${toText(row['id'])}`;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

/** Reads through the other carriers of the version (VER-1). */
async function readVersions(session: Session, row: KnownRow): Promise<void> {
  const { random } = session;
  const path = `/api${row.path}`;
  const version = random.pick(['1', '1.2', '1.2.3', '1.2.0']);
  const [target, headers] = random.pick([
    [path, {}],
    [`${path}?api_version=${version}`, {}],
    [path, { 'API-Version': version }],
    [path, { Accept: 'application/vnd.campaign.v1+json' }],
    [`/api/v1${row.path}`, { 'API-Version': '1.2' }],
  ] as const);
  const response = await session.send({ method: 'GET', target, headers });
  if (version === '1.2.0') return;
  if (!session.equal(response.status, 200, '[VER-1] carriers of the version')) return;
  const { links: _, ...rest } = row.representation;
  const { links: _links, ...shown } = isObject(response.body) ? response.body : {};
  session.equal(shown, rest, '[VER-1] one representation by every carrier');
  const self = toText(member(member(response.body, 'links'), 'self'));
  const followed = await session.send({ method: 'GET', target: self, headers });
  session.equal(followed.status, 200, '[REP-9] links.self stays in the carrier');
  if (target.startsWith('/api/v1')) return;
  session.check(/rel="canonical"/.test(response.headers['link'] ?? ''), '[REP-9] a canonical link', target);
  const other = await session.send({ method: 'GET', target: `${path}?api_version=1`, headers: { 'API-Version': '2' } });
  session.equal(other.status, 400, '[VER-1] carriers that disagree');
}
