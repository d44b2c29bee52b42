import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import type { EventPayload } from '../../src/conventions/events/event.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { runs } from '../extent.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

/** The names of the collections of a model and their singulars, with their earlier names. */
interface Names {
  readonly items: string;
  readonly item: string;
  readonly parts: string;
  readonly part: string;
  /** The earlier names of the collections, where they have others. */
  readonly was?: { readonly items?: string; readonly parts?: string };
}

const BEFORE: Names = { items: 'items', item: 'item', parts: 'parts', part: 'part' };

/** Items, parts of items, and pins of parts. @param ids who chooses the ids of items and parts */
function writeModel({ items, item, parts, part, was = {} }: Names, ids: 'client' | 'uuid'): string {
  const earlier = (name: string | undefined): string => (name === undefined ? '' : `was: ${name}, `);
  return `name: shop
resources:
  ${items}: { ${earlier(was.items)}singular: ${item}, id: ${ids}, schema: { type: object, properties: { title: { type: string } } } }
  ${parts}:
    { ${earlier(was.parts)}singular: ${part}, parent: ${items}, id: ${ids}, events: full, unique: [[${item}_id, name]], indexes: [[${item}_id, next_id]], search: [name], on_parent_delete: cascade,
      schema: { type: object, properties: { name: { type: string }, next_id: { type: string, x-references: ${parts} }, see_ids: { type: array, items: { type: string, x-references: { resource: ${parts}, as: seen } } } } } }
  pins:
    { parent: ${parts}, id: client, indexes: [[${part}_id, size]], on_parent_delete: cascade,
      schema: { type: object, properties: { size: { type: integer }, other_id: { type: string, x-references: pins } } } }
`;
}

async function created(api: ApiUnderTest, collection: string, body: object): Promise<string> {
  const answer = await api.send({ send: `POST /api/v1/${collection}`, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

/** The ids of an item, two parts and two pins, each after those above it. */
type Filled = readonly (readonly string[])[];

async function fill(api: ApiUnderTest, ids: 'client' | 'uuid'): Promise<Filled> {
  const own = (id: string): object => (ids === 'client' ? { id } : {});
  const item = await created(api, 'items', { ...own('a'), title: 'A' });
  const first = await created(api, `items/${item}/parts`, { ...own('p'), name: 'first' });
  const links = { next_id: first, see_ids: [first] };
  const second = await created(api, `items/${item}/parts`, { ...own('q'), name: 'second', ...links });
  const pins = `items/${item}/parts/${second}/pins`;
  await created(api, pins, { id: 'x', size: 1 });
  await created(api, pins, { id: 'y', size: 2, other_id: 'x' });
  return [[item], [item, first], [item, second], [item, second, 'x'], [item, second, 'y']];
}

/** The URL of a row with the names of a model. */
function buildUrl(ids: readonly string[], names: Names): string {
  const collections = [names.items, names.parts, 'pins'];
  return `/api/v1/${ids.map((id, level) => `${collections[level] ?? ''}/${id}`).join('/')}`;
}

/** The rows, with the members of the parents' ids under their first names. */
async function readRows(api: ApiUnderTest, filled: Filled, names: Names): Promise<readonly object[]> {
  const rows: object[] = [];
  const first: Readonly<Record<string, string>> = { [`${names.item}_id`]: 'item_id', [`${names.part}_id`]: 'part_id' };
  for (const each of filled) {
    const { status, body, text } = await api.send({ send: `GET ${buildUrl(each, names)}` });
    assert.equal(status, 200, text);
    const { links: _, ...members } = body;
    rows.push(Object.fromEntries(Object.entries(members).map(([name, value]) => [first[name] ?? name, value])));
  }
  return rows;
}

/** Fails unless the rows are read, found, written, guarded and deleted below their parents. */
async function checkUsed(api: ApiUnderTest, filled: Filled, names: Names): Promise<void> {
  const [item, part] = filled;
  assert.ok(item !== undefined && part !== undefined);
  const parts = `${buildUrl(item, names)}/${names.parts}`;
  const found = await api.send({ send: `GET ${parts}?q=second` });
  assert.deepEqual(
    found.body.data.map(({ name }: { readonly name: string }) => name),
    ['second'],
  );
  const same = await api.send({ send: `POST ${parts}`, body: { ...ownId(part, 'z'), name: 'first' } });
  assert.equal(same.status, 409, same.text);
  await created(api, parts.slice('/api/v1/'.length), { ...ownId(part, 'z'), name: 'third' });
  const deleted = await api.send({ send: `DELETE ${buildUrl(item, names)}` });
  assert.equal(deleted.status, 204, deleted.text);
  assert.equal((await api.send({ send: `GET ${buildUrl(part, names)}` })).status, 404);
}

const ownId = ([, part]: readonly string[], id: string): object => (part === 'p' ? { id } : {});

/** The statements that migrated the database. */
function migrationStatements({ observations }: ApiUnderTest): string {
  return observations.flatMap((each) => (each.kind === 'schema-changed' ? each.statements : [])).join('\n');
}

/** Lists the parts that events name as created: their URLs, and the ids of their items. */
async function createdParts(api: ApiUnderTest, { item, part }: Names): Promise<readonly unknown[]> {
  const { body } = await api.send({ send: `GET /api/events?type=${part}.created` });
  return body.data.map(({ payload }: { readonly payload: EventPayload }) => [
    new URL(payload.resource.url).pathname,
    payload.data?.[`${item}_id`],
  ]);
}

/** The first names, of a model that others had before. */
function backFrom({ items, parts }: Names): Names {
  const earlier = (name: 'items' | 'parts', was: string): object => (was === name ? {} : { [name]: was });
  return { ...BEFORE, was: { ...earlier('items', items), ...earlier('parts', parts) } };
}

const RENAMED: readonly (readonly [title: string, after: Names])[] = [
  ['the parent has another name', { ...BEFORE, items: 'articles', item: 'article', was: { items: 'items' } }],
  ['only the singular of the parent is another', { ...BEFORE, item: 'thing' }],
  [
    'the parent has another name and a singular that does not follow from it',
    { ...BEFORE, items: 'articles', item: 'thing', was: { items: 'items' } },
  ],
  [
    'the parent and its children have other names',
    { items: 'articles', item: 'article', parts: 'pieces', part: 'piece', was: { items: 'items', parts: 'parts' } },
  ],
];

for (const [store, databaseOf] of [
  ['SQLite', (folder: string) => path.join(folder, 'shop.db')],
  [
    'PostgreSQL',
    (folder: string) => server.url(schemas.name(path.basename(folder).toLowerCase().replaceAll('-', '_'))),
  ],
] as const) {
  describe(`the ids of parents in rows below them, on ${store}`, () => {
    for (const ids of ['client', 'uuid'] as const) {
      // Each rename and each kind of ids meets PostgreSQL in one daily case: that of most names.
      const cases = store === 'SQLite' ? RENAMED.length : runs(1, RENAMED.length);
      for (const [title, names] of RENAMED.slice(-cases)) {
        it(`[OPS-4d] are kept where ${title} (ids: ${ids})`, async (context) => {
          const database = databaseOf(temporaryDirectory(context));
          const before = await apiUnderTest(writeModel(BEFORE, ids), { database });
          const filled = await fill(before, ids);
          const rows = await readRows(before, filled, BEFORE);
          await before.close();
          const renamed = await apiUnderTest(writeModel(names, ids), { database });
          assert.doesNotMatch(migrationStatements(renamed), /restwright_rebuilt|drop column|add column "\w+_id"/);
          assert.deepEqual(await readRows(renamed, filled, names), rows);
          const [first = [], second = []] = filled.slice(1);
          assert.deepEqual(await createdParts(renamed, names), [
            [buildUrl(first, names), first[0]],
            [buildUrl(second, names), second[0]],
          ]);
          await renamed.close();
          const again = await apiUnderTest(writeModel(backFrom(names), ids), { database });
          assert.deepEqual(await readRows(again, filled, BEFORE), rows);
          await checkUsed(again, filled, BEFORE);
          await again.close();
          const last = await apiUnderTest(writeModel(backFrom(names), ids), { database });
          assert.equal(migrationStatements(last), '');
          await last.close();
        });
      }
    }
  });
}
