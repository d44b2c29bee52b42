import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { schemaLocation } from '../../../src/cli/init/schema-location.ts';
import { run } from '../../../src/cli/program.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../server-process.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'init-'));
});
after(() => rm(folder, { recursive: true }));
const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

async function command(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const terminal = recordedTerminal();
  const code = await run(args, terminal);
  return { code, ...terminal.written() };
}

/** A new folder with these files. @returns its path */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const made = await mkdtemp(path.join(folder, 'work-'));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(made, name), text);
  return made;
}

async function serve(where: string, ...args: readonly string[]): Promise<string> {
  const server = startServer(where, [...args, '--port', '0']);
  started.push(server);
  return waitUntilListening(server);
}

describe('restwright init', () => {
  it('writes a model that is valid without warnings and serves', async () => {
    const where = await folderWith({});
    const model = path.join(where, 'restwright.yaml');
    const { code, stdout } = await command('init', '--output', model);
    assert.equal(code, 0);
    assert.match(stdout, /^wrote .*restwright\.yaml: an example with customers and orders/);
    const checked = await command('check', model);
    assert.equal(checked.code, 0);
    assert.match(checked.stdout, /^\S+ is valid\n\n  collection/);

    const url = await serve(where);
    const post = async (
      collection: string,
      body: object,
    ): Promise<{ status: number; body: { id: string; status: string } }> => {
      const response = await fetch(`${url}/v1/${collection}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const ann = { name: 'Ann', email: 'ann@example.com' };
    const customer = await post('customers', ann);
    assert.equal(customer.status, 201);
    assert.equal((await post('customers', ann)).status, 409, 'the email is unique');
    const order = await post('orders', { customer_id: customer.body.id, total: '19.99' });
    assert.deepEqual([order.status, order.body.status], [201, 'OPEN']);
    const embedded = await fetch(`${url}/v1/orders/${order.body.id}?expand=customer`);
    assert.equal(JSON.parse(await embedded.text()).customer.name, 'Ann');
  });

  it('names the JSON Schema of models in the first line, by a path that exists', async () => {
    const where = await folderWith({});
    const model = path.join(where, 'shop.yaml');
    await command('init', '--output', model);
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(await readFile(model, 'utf8')) ?? [];
    const { $schema } = JSON.parse(await readFile(path.resolve(where, schema), 'utf8'));
    assert.match($schema, /2020-12/);
  });

  it('names the schema relative to a project that has the package as dependency', () => {
    const schema = path.resolve('/home/me/shop/node_modules/restwright/schema/model.schema.json');
    assert.equal(schemaLocation('/home/me/shop', schema), './node_modules/restwright/schema/model.schema.json');
    assert.equal(schemaLocation('/home/me/shop/api', schema), '../node_modules/restwright/schema/model.schema.json');
    assert.equal(schemaLocation('/home/me/shopping', schema), schema);
    assert.equal(schemaLocation('/tmp', '/opt/my tools/model.schema.json'), 'file:///opt/my%20tools/model.schema.json');
  });

  it('replaces an existing file only with --force', async () => {
    const where = await folderWith({ 'shop.yaml': 'mine' });
    const model = path.join(where, 'shop.yaml');
    const refused = await command('init', '--output', model);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /shop\.yaml already exists; name another file with --output, or replace it with --force/,
    );
    assert.equal(await readFile(model, 'utf8'), 'mine');
    assert.equal((await command('init', '--output', model, '--force')).code, 0);
    assert.match(await readFile(model, 'utf8'), /^name: shop$/m);
  });

  it('writes to standard output with -', async () => {
    const { code, stdout } = await command('init', '--output', '-');
    assert.equal(code, 0);
    assert.match(stdout, /^# yaml-language-server: .*\n# A model/);
  });

  const data = '{"customers":[{"id":1,"name":"Ann"}],"orders":[{"id":7,"customerId":1,"total":5}]}';
  it('infers a model from data, into which import reads the collections in the printed order', async () => {
    const where = await folderWith({ 'db.json': data });
    const [model, db] = [path.join(where, 'restwright.yaml'), path.join(where, 'db.json')];
    const { code, stdout } = await command('init', '--from', db, '--output', model);
    assert.equal(code, 0);
    assert.match(stdout, /^wrote .*: customers \(1 row\), orders \(1 row\)\n/);
    assert.equal((await command('check', model)).code, 0);
    const imports = [...stdout.matchAll(/restwright import (\S+) (\w+) (\S+)/g)];
    assert.deepEqual(
      imports.map(([, ...args]) => args),
      [
        [model, 'customers', db],
        [model, 'orders', db],
      ],
    );
    const database = path.join(where, 'data', 'db.db');
    for (const [, ...args] of imports) {
      const imported = await command('import', ...args, '--database', database);
      assert.match(imported.stderr, /imported 1 row\n$/);
    }
    const url = await serve(where);
    const order = JSON.parse(await (await fetch(`${url}/v1/orders/7?expand=customer`)).text());
    assert.deepEqual([order.customer_id, order.total, order.customer.name], ['1', 5, 'Ann']);
  });

  it('converts an OpenAPI description to a model that is valid', async () => {
    const description = `openapi: 3.0.3
info: { title: Zoo, version: 1.0.0 }
paths:
  /animals: { get: { responses: { '200': { description: ok } } } }
  /animals/{id}:
    get: { responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Animal' } } } } } }
components: { schemas: { Animal: { type: object, properties: { name: { type: string } } } } }
`;
    const where = await folderWith({ 'zoo.yaml': description });
    const model = path.join(where, 'restwright.yaml');
    const { stdout } = await command('init', '--from', path.join(where, 'zoo.yaml'), '--output', model);
    assert.match(stdout, /^wrote .*restwright\.yaml: animals\n/);
    assert.equal((await command('check', model)).code, 0);
    const refused = await command('serve', path.join(where, 'zoo.yaml'));
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /zoo\.yaml is an OpenAPI description, not a model; infer a model from it with `restwright init/,
    );
  });

  it('infers a model from CSV, with the names of the columns kept for import', async () => {
    const csv = 'Id,First Name,Active\n1,Ann,TRUE\n2,Bob,false\n';
    const where = await folderWith({ 'people.csv': csv });
    const [model, file] = [path.join(where, 'people.yaml'), path.join(where, 'people.csv')];
    await command('init', '--from', file, '--output', model);
    const database = path.join(where, 'people.db');
    const imported = await command('import', model, 'people', file, '--database', database);
    assert.equal(imported.stderr, 'people: imported 2 rows\n');
    const exported = await command('export', model, 'people', '--database', database);
    assert.match(
      exported.stdout,
      /^\{"id":"1","first_name":"Ann","active":true,.*\n\{"id":"2","first_name":"Bob","active":false,/,
    );
  });

  const wrong: readonly [title: string, name: string, text: string, code: number, message: RegExp][] = [
    [
      'two rows with one id',
      'db.json',
      '[\n{"id":1},\n{"id":1}\n]',
      1,
      /db\.json:3: db: rows 1 and 2 have the same id "1"/,
    ],
    ['a row that is not an object', 'db.ndjson', '{}\n5\n', 1, /db\.ndjson:2: db: the row is not an object/],
    ['a syntax error', 'db.json', '[\n{"a":1},\n{"a":}\n]', 1, /db\.json:3: column 6: expected a value/],
    ['an empty file of CSV', 'rows.csv', '\n', 1, /rows\.csv: the file has no header/],
    ['two members with one name', 'db.json', '{"a":[],\n"a":[]}', 1, /db\.json:2: the file has two members "a"/],
    ['a missing cell', 'rows.csv', 'a,b\n1\n', 1, /rows\.csv:2: the row has 1 cells for 2 columns/],
    ['two columns with one name', 'rows.csv', 'a,a\n1,2\n', 1, /rows\.csv:1: two columns have the name "a"/],
    ['a model', 'm.yaml', 'name: x\n', 2, /m\.yaml is neither a data file nor an OpenAPI description/],
    ['Swagger 1.2', 's.json', '{"swagger":"1.2"}', 1, /s\.json: the description is OpenAPI 1\.2; convert it to 3\.0/],
    ['invalid YAML', 'o.yaml', 'openapi: [', 1, /o\.yaml:1:.*not valid YAML/],
  ];
  for (const [title, name, text, code, message] of wrong) {
    it(`reports ${title} in --from and writes nothing`, async () => {
      const where = await folderWith({ [name]: text });
      const output = path.join(where, 'out.yaml');
      const result = await command('init', '--from', path.join(where, name), '--output', output);
      assert.equal(result.code, code);
      assert.match(result.stderr, message);
      assert.equal(existsSync(output), false);
    });
  }

  it('reports a file that does not exist', async () => {
    const { code, stderr } = await command('init', '--from', 'no-such.json', '--output', '-');
    assert.equal(code, 2);
    assert.match(stderr, /cannot read no-such\.json: no such file/);
  });
});

describe('a command without a model', () => {
  const model = 'name: found\nresources:\n  notes:\n    schema: { type: object, properties: {} }\n';

  it('uses the model of the folder: restwright.*, model.*, then *.restwright.yaml', async () => {
    const where = await folderWith({ 'db.restwright.yaml': model.replace('found', 'third') });
    const name = async (): Promise<string> => {
      const { origin } = new URL(await serve(where));
      const databases = await mkdir(path.join(where, 'data'), { recursive: true });
      assert.ok(databases === undefined && origin !== '');
      return ['first', 'second', 'third'].filter((each) => existsSync(path.join(where, 'data', `${each}.db`))).join();
    };
    assert.equal(await name(), 'third');
    await writeFile(
      path.join(where, 'model.json'),
      JSON.stringify({ name: 'second', resources: { notes: { schema: { type: 'object', properties: {} } } } }),
    );
    assert.equal(await name(), 'second,third');
    await writeFile(path.join(where, 'restwright.yml'), model.replace('found', 'first'));
    assert.equal(await name(), 'first,second,third');
  });

  it('lists what it looked for where there is none, and names several', async () => {
    const where = await folderWith({});
    const none = startServer(where, []);
    assert.equal(await none.exited, 2);
    assert.match(
      none.stderr(),
      /looked for restwright\.\{yaml,yml,json,ts,mts,js,mjs\}, model\.\{.*\} and \*\.restwright\.yaml\. .*restwright init/,
    );
    await writeFile(path.join(where, 'restwright.yaml'), model);
    await writeFile(path.join(where, 'restwright.json'), '{}');
    const several = startServer(where, []);
    assert.equal(await several.exited, 2);
    assert.match(several.stderr(), /several models in this folder: restwright\.yaml, restwright\.json\. Name one/);
  });
});
