import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';
import { create, parseIds } from '../pipeline/models/shop-model.ts';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';

const { sqlite, postgres } = await newDatabases('any_json');

/** A store, and another one to which a database is copied. */
const STORES = [
  ['SQLite', sqlite, postgres],
  ['PostgreSQL', postgres, sqlite],
] as const;

const modelWith = (settings: string, version = '1.0.0', more = ''): string =>
  `{ name: lab, version: ${version}, default_version: 1, resources: { devices: { id: client, schema: { type: object, properties: { settings: { ${settings} }, list: { type: array, items: { type: json } } } } } } ${more} }`;

const JSON_MODEL = modelWith('type: json');
const VALUES: readonly unknown[] = [
  { theme: 'dark', n: null, d: [1.5, { '': 'é\u0001"' }] },
  '=1+1',
  '',
  -3,
  1e300,
  false,
  [],
  {},
  'null',
  null,
];

for (const [store, locate, locateOther] of STORES) {
  describe(`any JSON on ${store}`, () => {
    it('[OPS-4d] has the values of an object, a map or a list, whose field becomes any JSON without a loss', async (context) => {
      const folder = temporaryDirectory(context);
      for (const [type, value, shown] of [
        [
          'type: object, properties: { theme: { type: string }, size: { type: integer } }',
          { theme: 'dark' },
          { theme: 'dark', size: null },
        ],
        ['type: object, additionalProperties: { type: string }', { theme: 'dark' }, { theme: 'dark' }],
        ['type: array, items: { type: string }', ['dark'], ['dark']],
      ] as const) {
        const database = locate(folder);
        await withDevices(modelWith(type), database, [value]);
        await using lab = await apiUnderTest(JSON_MODEL, { database });
        const { body } = await lab.send({ send: 'GET /api/v1/devices/d0' });
        assert.deepEqual(body.settings, shown);
        const found = await lab.send({ send: 'GET /api/v1/devices?settings.theme=dark' });
        assert.deepEqual(parseIds(found), Array.isArray(value) ? [] : ['d0']);
      }
    });

    it('[OPS-4d] is lost where its field becomes another type, and the plan says so', async (context) => {
      const folder = temporaryDirectory(context);
      const database = locate(folder);
      await withDevices(JSON_MODEL, database, [{ a: 1 }]);
      const model = path.join(folder, 'next.yaml');
      writeFileSync(model, modelWith('type: object, additionalProperties: { type: integer }', '1.1.0'));
      const { code, output } = await command('migrate', model, '--database', database);
      assert.equal(code, 0, output);
      assert.match(output, /devices\.settings/);
      assert.match(output, /los/);
    });

    it('[REP-14] is exported, imported and copied as it is', async (context) => {
      const folder = temporaryDirectory(context);
      const database = locate(folder);
      const model = path.join(folder, 'lab.yaml');
      writeFileSync(model, JSON_MODEL);
      const before = await withDevices(JSON_MODEL, database, VALUES);
      for (const format of ['ndjson', 'json', 'csv']) {
        const [file, target] = [path.join(folder, `devices.${format}`), locate(folder)];
        const exported = await command('export', model, 'devices', file, '--database', database);
        assert.equal(exported.code, 0, exported.output);
        const imported = await command('import', model, 'devices', file, '--database', target);
        assert.equal(imported.code, 0, `${imported.output}${readFileSync(file, 'utf8')}`);
        assert.equal(await readDevices(target), before, format);
      }
      const other = locateOther(folder);
      const copied = await command('copy', model, '--from', database, '--to', other);
      assert.equal(copied.code, 0, copied.output);
      assert.equal(await readDevices(other), before);
    });

    it('[VER-5a] [VER-5b] is renamed, hidden and filtered in an older version, whose writes keep it', async (context) => {
      const versions = `, versions: { 1.0.0: { changes: [{ resource: devices, rename: { options: settings } }, { resource: devices, without: [list] }] } }`;
      const database = locate(temporaryDirectory(context));
      await using lab = await apiUnderTest(modelWith('type: json', '2.0.0', versions), { database });
      await lab.send({ send: 'PUT /api/v2/devices/a', body: { settings: { size: 3, theme: 'dark' }, list: [1, 'x'] } });
      await lab.send({ send: 'PUT /api/v1/devices/b', body: { options: { size: '3' } } });
      const older = await lab.send({ send: 'GET /api/v1/devices?options.size=3&sort=id' });
      assert.deepEqual(parseIds(older), ['a', 'b']);
      assert.deepEqual(older.body.data[0].options, { size: 3, theme: 'dark' });
      const patch = { send: 'PATCH /api/v1/devices/a', body: { options: { theme: null, on: true } } };
      assert.deepEqual((await lab.send(patch)).body.options, { size: 3, on: true });
      const { body } = await lab.send({ send: 'GET /api/v2/devices/a' });
      assert.deepEqual([body.settings, body.list], [{ size: 3, on: true }, [1, 'x']]);
      for (const query of ['list.a=1', 'settings.size=3']) {
        assert.equal((await lab.send({ send: `GET /api/v1/devices?${query}` })).status, 400);
      }
    });

    it('[EVT-1] [MET-13] is in events with data, also of a batch', async (context) => {
      const database = locate(temporaryDirectory(context));
      const model = JSON_MODEL.replace('id: client', 'id: client, events: full');
      await using lab = await apiUnderTest(model, { database });
      const operations = [
        { method: 'POST', path: '/devices', body: { id: 'a', settings: { b: 1, a: [null] } } },
        { method: 'PATCH', path: '/devices/a', body: { settings: { b: null } } },
      ];
      const { body } = await lab.send({ send: 'POST /api/v1/batches', body: { atomic: true, operations } });
      assert.deepEqual(body.results[1].body.settings, { a: [null] });
      const events = await lab.newEvents();
      const data = events
        .filter(({ type }) => type.startsWith('device.'))
        .map(({ payload }) => payload.data?.['settings']);
      assert.deepEqual(data, [{ b: 1, a: [null] }, { a: [null] }]);
    });
  });
}

/** Creates devices with these settings. @returns all of them as JSON */
async function withDevices(model: string, database: string, settings: readonly unknown[]): Promise<string> {
  {
    await using lab = await apiUnderTest(model, { database });
    for (const [index, each] of settings.entries()) {
      await create(lab, 'devices', { id: `d${index}`, settings: each });
    }
  }
  return readDevices(database, model);
}

async function readDevices(database: string, model = JSON_MODEL): Promise<string> {
  await using lab = await apiUnderTest(model, { database });
  const { body } = await lab.send({ send: 'GET /api/v1/devices?sort=id' });
  return JSON.stringify(body.data.map(({ id, settings }: Readonly<Record<string, unknown>>) => [id, settings]));
}

async function command(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const terminal = recordedTerminal();
  const code = await run([...args], terminal);
  const { stdout, stderr } = terminal.written();
  return { code, output: stdout + stderr };
}
