import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../src/cli/program.ts';
import { versionsSchema } from '../../src/model/document/versions-schema.ts';
import { readObject } from '../../src/model/values/access.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../pipeline/support/api-under-test.ts';
import { readBlocks, readCodes, readRows, readPage } from './guide-pages.ts';

describe('the guide to versions', () => {
  const guide = readPage('docs/guides/versions.md');

  /** Runs `diff` on the models of the guide. */
  async function printed(context: TestContext, ...options: readonly string[]): Promise<string> {
    const [published = '', shop = ''] = readBlocks(guide, 'yaml');
    const files = Object.entries({ 'published.yaml': published, 'shop.yaml': shop }).map(([name, text]) => {
      const file = path.join(temporaryDirectory(context), name);
      writeFileSync(file, text);
      return file;
    });
    const terminal = recordedTerminal();
    assert.equal(await run(['diff', ...files, ...options], terminal), 1);
    return terminal.written().stdout;
  }

  it('[VER-6a] shows what diff prints', async (context) => {
    assert.equal(await printed(context), readBlocks(guide, 'text')[0]);
    assert.equal(await printed(context, '--markdown'), readBlocks(guide, 'markdown')[0]);
  });

  it('[VER-6a] shows the JSON of diff', async (context) => {
    const { differences, rows, ...whole } = JSON.parse(await printed(context, '--json'));
    const { differences: first, rows: checked, ...shown } = JSON.parse(readBlocks(guide, 'json')[0] ?? '');
    for (const model of [whole.old, whole.new]) model.model = path.basename(model.model);
    assert.deepEqual(whole, shown);
    assert.deepEqual([differences.length, differences.slice(0, 1)], [4, first]);
    const narrower = rows.filter(({ effect }: { readonly effect: string }) => effect === 'checks');
    assert.deepEqual([rows.length, narrower], [3, checked]);
  });
});

/** A body without what all versions have. */
function own({
  id: _id,
  created_at: _at,
  updated_at: _on,
  revision: _revision,
  links: _links,
  ...members
}: Members): Members {
  return members;
}

type Members = Readonly<Record<string, unknown>>;

/** The model of the guide as it was before its field was renamed. */
const PUBLISHED = `
name: books
version: 1.4.0
resources:
  books:
    schema: { type: object, required: [title], properties: { title: { type: string }, pages: { type: integer } } }
`;

describe('the guide to versions side by side', () => {
  const guide = readPage('docs/guides/versions.md');
  const [, , store = '', staff = '', expand = '', , deprecate = '', retire = ''] = readBlocks(guide, 'yaml');

  /** Asserts that a row is shown as the first two rows of a table, the newest version first. */
  async function assertShown(model: string, collection: string, heading: string): Promise<void> {
    await using api = await apiUnderTest(model);
    const [newest = [], older = []] = readRows(guide, heading);
    const body = JSON.parse(readCodes(newest[1])[0] ?? '');
    const created = await api.send({ send: `POST /api/v2/${collection}`, body });
    assert.equal(created.status, 201, created.text);
    for (const [version, row] of [
      ['v2', newest],
      ['v1', older],
    ] as const) {
      const seen = await api.send({ send: `GET /api/${version}/${collection}/${created.body.id}` });
      assert.deepEqual(own(seen.body), JSON.parse(readCodes(row[1])[0] ?? ''));
    }
  }

  it('[VER-5a] shows one row in two versions', async () => {
    await assertShown(store, 'products', '## Several versions side by side');
  });

  it('[VER-5a] shows one row in a version with other fields, and creates it there', async () => {
    await assertShown(staff, 'people', '### Split, join and type');
    await using api = await apiUnderTest(staff);
    const [newest = [], older = []] = readRows(guide, '### Split, join and type');
    const body = JSON.parse(readCodes(older[1])[0] ?? '');
    const created = await api.send({ send: 'POST /api/v1/people', body });
    const seen = await api.send({ send: `GET /api/v2/people/${created.body.id}` });
    assert.deepEqual(own(seen.body), JSON.parse(readCodes(newest[1])[0] ?? ''));
    const refused = await api.send({ send: 'POST /api/v1/people', body: { ...body, grade: '07' } });
    assert.deepEqual([refused.status, refused.body.details[0].field], [400, 'grade']);
  });

  it('[VER-5a] shows functions of the example', () => {
    const [shown = ''] = readBlocks(guide, 'ts');
    const lines = readPage('examples/contacts.ts').replaceAll(/^ +/gm, '');
    assert.ok(lines.includes(shown.replaceAll(/^ +/gm, '')));
  });

  it('[VER-5a] lists every change that a model may have', () => {
    const [version] = Object.values(readObject(versionsSchema['patternProperties']));
    const changes = readObject(readObject(readObject(version)['properties'])['changes']);
    const kinds = Object.keys(readObject(readObject(changes['items'])['properties'])).filter(
      (kind) => kind !== 'resource',
    );
    assert.ok(kinds.length > 10);
    const rows = guide.slice(guide.indexOf('| change | this version |')).split('\n\n', 1)[0] ?? '';
    for (const kind of kinds) assert.match(rows, new RegExp(`\`${kind}`), kind);
  });

  it('[VER-3b] [VER-4b] walks a rename through its four steps, over the same file', async (context) => {
    const database = path.join(temporaryDirectory(context), 'books.db');
    const send = async (text: string, row: Parameters<ApiUnderTest['send']>[0]): Promise<Seen> => {
      await using api = await apiUnderTest(text, { database });
      const seen = await api.send(row);
      return seen;
    };
    const created = await send(PUBLISHED, { send: 'POST /api/v1/books', body: { title: 'Emma', pages: 4 } });
    assert.equal(created.status, 201, created.text);
    const old = { send: `GET /api/v1/books/${created.body.id}` };
    const deprecated = expand.replace(/^versions:[^]*$/m, deprecate);
    const retired = expand.replace(/^versions:[^]*$/m, retire).replace('default_version: 1', 'default_version: 2');
    assert.deepEqual(own((await send(expand, old)).body), { title: 'Emma', pages: 4 });
    const newer = { send: old.send.replace('v1', 'v2') };
    assert.deepEqual(own((await send(expand, newer)).body), { name: 'Emma', pages: 4 });
    const { headers } = await send(deprecated, old);
    const fields = (readBlocks(guide, 'http')[0] ?? '')
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]);
    for (const [name, value] of fields) {
      // The guide has a short id.
      assert.equal(headers.get(name.toLowerCase())?.replace(/[0-9a-f-]{36}/, 'b1'), value, name);
    }
    const gone = await send(retired, old);
    assert.deepEqual([gone.status, gone.body.errorCode], [410, 'API_VERSION_RETIRED']);
    assert.equal((await send(retired, newer)).status, 200);
  });
});
