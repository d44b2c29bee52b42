import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { apiUnderTest, type ApiUnderTest, type Seen } from '../support/api-under-test.ts';
import { DRIVE } from '../models/drive-model.ts';
import { runs } from '../../extent.ts';

/** A write to `/folders/{f}`, `/folders/{f}/files/{f}` or `/folders/{f}/files/{f}/versions/{v}`. */
interface TreeWrite {
  readonly method: 'PUT' | 'PATCH' | 'DELETE';
  readonly path: readonly string[];
  readonly fields: Fields;
}

interface Fields {
  readonly text: string;
  readonly original: string | null;
  readonly see: readonly string[];
}

const IDS = ['x', 'y', 'z'];
const COLLECTIONS = ['folders', 'files', 'versions'];

/** Three levels with the same few ids everywhere, as plain data: the rows by their paths. */
class TreeOracle {
  readonly rows = new Map<string, Fields>();

  /** The status that the write must have. */
  write({ method, path, fields }: TreeWrite): number {
    const key = path.join('/');
    const exists = this.rows.has(key);
    for (let level = 1; level < path.length; level += 1) {
      if (!this.rows.has(path.slice(0, level).join('/'))) return 404;
    }
    if (!exists && method !== 'PUT') return 404;
    if (method === 'DELETE') return this.#delete(path);
    if (path.length === 2 && !this.#refersToSiblings(path, fields)) return 400;
    this.rows.set(key, fields);
    return exists ? 200 : 201;
  }

  /** A new row may refer to itself. */
  #refersToSiblings([folder = '', own = '']: readonly string[], { original, see }: Fields): boolean {
    const referred = [...see, ...(original === null ? [] : [original])];
    return referred.every((id) => id === own || this.rows.has(`${folder}/${id}`));
  }

  /** Deletes a row with all that is below it, and its siblings' references to it. */
  #delete(path: readonly string[]): number {
    const key = path.join('/');
    for (const other of this.rows.keys()) {
      if (other === key || other.startsWith(`${key}/`)) this.rows.delete(other);
    }
    const [folder = '', own] = path;
    for (const [other, { text, original, see }] of path.length === 2 ? this.rows : []) {
      if (!other.startsWith(`${folder}/`) || other.split('/').length !== 2) continue;
      const kept = see.filter((id) => id !== own);
      this.rows.set(other, { text, original: original === own ? null : original, see: kept });
    }
    return 204;
  }
}

const id = fc.constantFrom(...IDS);
const write: fc.Arbitrary<TreeWrite> = fc.record({
  method: fc.constantFrom('PUT', 'PUT', 'PUT', 'PATCH', 'DELETE'),
  path: fc.array(id, { minLength: 1, maxLength: 3 }),
  fields: fc.record({
    text: fc.string({ maxLength: 3 }),
    original: fc.option(id),
    see: fc.array(id, { maxLength: 2 }),
  }),
});

function buildTarget(path: readonly string[]): string {
  return path.map((each, level) => `/${COLLECTIONS[level] ?? ''}/${each}`).join('');
}

/** Builds the body of a write: each level has its own fields. */
function buildBody({ path, fields }: Pick<TreeWrite, 'path' | 'fields'>): object {
  if (path.length === 1) return { title: fields.text };
  if (path.length === 2) return { name: fields.text, original_id: fields.original, see_ids: fields.see };
  return { size: fields.text.length };
}

function buildOperation(each: TreeWrite): object {
  const body = each.method === 'DELETE' ? {} : { body: buildBody(each) };
  return { method: each.method, path: buildTarget(each.path), ...body };
}

/** Checks every row that the oracle has, and that the collections have no others. */
async function assertTree(drive: ApiUnderTest, { rows }: TreeOracle): Promise<void> {
  const paths = [...rows.keys()].map((key) => key.split('/'));
  for (const above of [[], ...paths.filter(({ length }) => length < 3)]) {
    const collection = `${buildTarget(above)}/${COLLECTIONS[above.length] ?? ''}`;
    const { body } = await drive.send({ send: `GET /api/v1${collection}?sort=id` });
    const below = paths.filter(
      (each) => each.length === above.length + 1 && above.every((part, at) => part === each[at]),
    );
    const expected = below.map((path) => {
      const fields = rows.get(path.join('/')) ?? assert.fail('no fields');
      return { id: path.at(-1), self: `/api/v1${buildTarget(path)}`, ...buildBody({ path, fields }) };
    });
    const byId = (one: { id?: string | undefined }, other: { id?: string | undefined }): number =>
      String(one.id) < String(other.id) ? -1 : 1;
    const found = body.data.map((row: Readonly<Record<string, unknown>>) => shownFields(row, above.length + 1));
    assert.deepEqual(found, expected.sort(byId), collection);
  }
}

function shownFields(row: Seen['body'], level: number): object {
  const { id: own, links, title, name, original_id, see_ids, size } = row;
  const fields = level === 1 ? { title } : level === 2 ? { name, original_id, see_ids } : { size };
  return { id: own, self: links.self, ...fields };
}

describe('random trees of rows with equal ids', () => {
  it('[URL-7] [MET-2] [MET-4d] [MET-13] are what a plain tree is after the same writes, alone and in batches', async () => {
    const batches = fc.array(
      fc.tuple(fc.constantFrom('alone', 'atomic', 'independent'), fc.array(write, { minLength: 1, maxLength: 12 })),
      {
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        await using drive = await apiUnderTest(DRIVE);
        let oracle = new TreeOracle();
        for (const [how, writes] of all) {
          const next = new TreeOracle();
          for (const [key, fields] of oracle.rows) next.rows.set(key, fields);
          const statuses = writes.map((each) => next.write(each));
          const isRefused = how === 'atomic' && statuses.some((status) => status >= 400);
          if (how === 'alone') {
            for (const [index, each] of writes.entries()) {
              const body = each.method === 'DELETE' ? {} : { body: buildBody(each) };
              const got = await drive.send({ send: `${each.method} /api/v1${buildTarget(each.path)}`, ...body });
              assert.equal(got.status, statuses[index], got.text);
            }
          } else {
            const body = { atomic: how === 'atomic', operations: writes.map(buildOperation) };
            const got = await drive.send({ send: 'POST /api/v1/batches', body });
            // References are judged when the whole batch is written.
            if (isRefused) assert.ok(got.status >= 400 && statuses.includes(got.status), got.text);
            else
              assert.deepEqual(
                got.body.results.map(({ status }: { status: number }) => status),
                statuses,
                got.text,
              );
          }
          if (!isRefused) oracle = next;
          await assertTree(drive, oracle);
        }
      }),
      { numRuns: runs(10, 200) },
    );
  });
});
