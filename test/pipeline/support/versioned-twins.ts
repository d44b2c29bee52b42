import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../src/conventions/json/json.ts';
import {
  Chooser,
  type Doc,
  downThrough,
  KIND_COUNT,
  defineVersions,
  newestPath,
  normal,
  randomChain,
  randomDoc,
  randomValue,
  upThrough,
  type Version,
} from '../../versions/random-versions.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from './api-under-test.ts';

/** An API with older versions, and one with the newest version alone, in which requests are written by hand. */
export interface Twins extends AsyncDisposable {
  readonly api: ApiUnderTest;
  readonly byHand: ApiUnderTest;
  readonly versions: readonly Version[];
  readonly choose: Chooser;
}

/** Chains of up to five changes, and numbers to choose requests by. */
export const chains = fc.tuple(
  fc.array(fc.nat(KIND_COUNT - 1), { minLength: 1, maxLength: 5 }),
  fc.array(fc.nat(1000), { minLength: 30, maxLength: 100 }),
);

export async function twins([kinds, numbers]: readonly [readonly number[], readonly number[]]): Promise<Twins> {
  const choose = new Chooser(numbers);
  const versions = randomChain(kinds, choose);
  const api = await apiUnderTest(defineVersions(versions));
  const byHand = await apiUnderTest(defineVersions(versions.slice(0, 1)));
  const close = async (): Promise<void> => {
    await api.close();
    await byHand.close();
  };
  return { api, byHand, versions, choose, [Symbol.asyncDispose]: close };
}

export function versionAt({ versions }: Pick<Twins, 'versions'>, level: number): Version {
  return versions[level] ?? assert.fail();
}

/** The path of the items in a version. */
export function itemsIn({ name, collection }: Version): string {
  return `/api/v${name.split('.', 1)[0]}/${collection.replaceAll('_', '-')}`;
}

/** The fields of a representation. */
export function own({
  created_at: _at,
  updated_at: _on,
  revision: _revision,
  links: _links,
  id: _id,
  ...fields
}: Doc): Doc {
  return fields;
}

export async function get(api: ApiUnderTest, path: string): Promise<Seen> {
  const seen = await api.send({ send: `GET ${path}` });
  assert.equal(seen.status, 200, `${path}: ${seen.text}`);
  return seen;
}

/** Creates rows in both, through a random version. @returns their ids */
export async function filled(pair: Twins, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `r${index}`);
  for (const id of ids) await createThrough(pair, pair.choose.below(pair.versions.length), id);
  return ids;
}

/** Creates a row through a version, and by hand in the newest one. @returns what was sent */
export async function createThrough(pair: Twins, level: number, id: string): Promise<Doc> {
  const version = versionAt(pair, level);
  const doc = randomDoc(version.shape, pair.choose);
  const created = await pair.api.send({ send: `POST ${itemsIn(version)}`, body: { id, ...doc } });
  assert.equal(created.status, 201, `${created.text} of ${JSON.stringify(doc)}`);
  await writeByHand(pair, 'POST', id, upThrough(pair.versions.slice(0, level + 1), doc, null));
  return doc;
}

export async function writeByHand({ byHand }: Twins, method: 'POST' | 'PUT', id: string, doc: Doc): Promise<void> {
  const path = method === 'POST' ? '/api/v9/items' : `/api/v9/items/${id}`;
  const written = await byHand.send({ send: `${method} ${path}`, body: method === 'POST' ? { id, ...doc } : doc });
  assert.ok(written.status < 300, `${written.text} of ${JSON.stringify(doc)}`);
}

/** Asserts that both have the same row, and that every version shows it as the changes say. */
export async function assertSame(pair: Twins, id: string): Promise<void> {
  const { api, byHand, versions } = pair;
  const newest = own((await get(api, `/api/v9/items/${id}`)).body);
  assert.deepEqual(normal(newest), normal(own((await get(byHand, `/api/v9/items/${id}`)).body)));
  const docs = downThrough(versions, newest);
  for (const [level, version] of versions.entries()) {
    const seen = own((await get(api, `${itemsIn(version)}/${id}`)).body);
    assert.deepEqual(Object.keys(seen).sort(), [...version.shape.keys()].sort());
    assert.deepEqual(normal(seen), normal(docs[level] ?? {}), `${version.name} of ${id}`);
  }
}

/** A write to a row through a version. */
export interface Write {
  readonly method: 'PUT' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The document of that version after it. */
  readonly after: Doc;
}

/** @param before the document of the version before it */
export function randomWrite(version: Version, before: Doc, choose: Chooser): Write {
  const { shape } = version;
  const kind = choose.below(3);
  if (kind === 0) {
    const body = randomDoc(shape, choose);
    const after = [...shape].map(([name, each]) => [name, body[name] ?? omitted(body, name, each)] as const);
    return { method: 'PUT', headers: {}, body, after: Object.fromEntries(after) };
  }
  const [name, each] = choose.pick([...shape]) ?? assert.fail();
  const value = randomValue(each, choose);
  const after = { ...before, [name]: value };
  if (kind === 1) {
    const headers = { 'Content-Type': 'application/json-patch+json' };
    return { method: 'PATCH', headers, body: [{ op: 'add', path: `/${name}`, value }], after };
  }
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  return { method: 'PATCH', headers, body: { [name]: value }, after };
}

/** The value of a field that a PUT leaves out (MET-2): its default or null. */
function omitted(body: Doc, name: string, shape: object): Json {
  return !(name in body) && 'default' in shape && typeof shape.default === 'string' ? shape.default : null;
}

/** Sends a write alone, or as the operation of a batch. */
export async function sendThrough(
  api: ApiUnderTest,
  version: Version,
  id: string,
  write: Write,
  way: number,
): Promise<void> {
  const { method, headers, body } = write;
  const path = itemsIn(version);
  if (way === 0) {
    const { status, text } = await api.send({ send: `${method} ${path}/${id}`, headers, body });
    assert.equal(status, 200, `${text} of ${JSON.stringify(write)}`);
    return;
  }
  const major = path.split('/')[2] ?? '';
  const operation = { method, path: `${path.slice(`/api/${major}`.length)}/${id}`, headers, body };
  const batch = await api.send({
    send: `POST /api/${major}/batches`,
    body: { atomic: way === 1, operations: [operation] },
  });
  assert.deepEqual([batch.status, batch.body.status], [201, 'succeeded'], `${batch.text} of ${JSON.stringify(write)}`);
}

/** The ids of a collection, by its pages. */
export async function walk(api: ApiUnderTest, path: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body } = await get(api, next);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    next = body.links.next;
  }
  return ids;
}

/**
 * Pairs the paths that a version sorts and filters by with those of the newest version. Null if the newest version has
 * no single path for one.
 */
export function pairPaths(
  versions: readonly Version[],
  level: number,
): readonly (readonly [older: string, newest: string | null])[] {
  const { shape } = versions[level] ?? assert.fail();
  const older = [...shape].flatMap(([name, each]) =>
    each.kind === 'object' ? each.members.map((member) => `${name}.${member}`) : [name],
  );
  return older.map((path) => [path, newestPath(versions.slice(0, level + 1), path)]);
}
