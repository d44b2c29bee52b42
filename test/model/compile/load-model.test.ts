import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { formatProblem } from '../../../src/model/document/model-error.ts';
import { listProblems, load, resource } from '../loading.ts';

const SMALLEST =
  'name: shop\nresources:\n  items:\n    schema: { type: object, properties: { name: { type: string } } }\n';
const SHOP = readFileSync(new URL('../fixtures/shop.yaml', import.meta.url), 'utf8');
const env = { SHOP_SECRET: 'a secret' };

/** The example of the specification, as it stands there. */
function specified(): string {
  const page = readFileSync(new URL('../../../docs/specification/model.md', import.meta.url), 'utf8');
  return /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '';
}

/** Every object, map and set that a value holds. */
function* held(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  const parts = value instanceof Map || value instanceof Set ? [...value].flat() : Object.values(value);
  for (const part of parts) yield* held(part);
}

describe('loadModel', () => {
  it('compiles the smallest model: a name and one resource with a schema', () => {
    const { model, unsupported } = load(SMALLEST);
    const { dependents, links, uniques, indexes, events, id, cache, requireIfMatch } = resource(model, 'items');
    assert.deepEqual(
      { dependents, links, uniques, indexes, events, id, cache, requireIfMatch },
      {
        dependents: [],
        links: [],
        uniques: [],
        indexes: [],
        events: 'thin',
        id: { kind: 'server' },
        cache: null,
        requireIfMatch: false,
      },
    );
    assert.deepEqual(unsupported, []);
  });

  it('compiles the example of the specification, all of which is supported', () => {
    const { model, unsupported } = load(SHOP, { env });
    const own = ['relays', 'webhooks', 'webhook_secrets', 'webhook_deliveries', 'webhook_replays'];
    assert.deepEqual([...model.resources.keys()], ['suppliers', 'products', 'reviews', ...own]);
    assert.equal(model.secret, 'a secret');
    const { fields, uniques, indexes, cache } = resource(model, 'products');
    assert.equal(
      fields.map(({ name }) => name).join(' '),
      'sku name price currency category due tags labels status supplier_id related_ids photo cost owner_id',
    );
    assert.deepEqual(uniques, [['sku'], ['supplier_id', 'sku']]);
    assert.deepEqual(indexes, [['category'], ['category', 'price']]);
    assert.deepEqual(cache, { maxAge: 3600, scope: 'public' });
    assert.deepEqual(unsupported, []);
  });

  it('compiles the whole example of the specification, with its older version', () => {
    const { versions } = load(specified(), { env }).model;
    assert.deepEqual(
      versions.map(({ model }) => [...model.collections.keys()]),
      [['vendors', 'products', 'api-keys', 'relays', 'webhooks', 'secrets', 'deliveries', 'replays']],
    );
  });

  it('freezes the model deeply, with its maps and sets', () => {
    const { model } = load(SHOP, { env });
    for (const part of held(model)) {
      assert.ok(Object.isFrozen(part));
      if (part instanceof Map) assert.throws(() => part.set('a', 1), TypeError);
      if (part instanceof Set) assert.throws(() => part.add('a'), TypeError);
      if (part instanceof Map || part instanceof Set) assert.throws(() => part.clear(), TypeError);
    }
  });

  it('[CACHE-1] computes a fingerprint that differs for different models only', () => {
    const of = (text: string): string => load(text, { env }).model.fingerprint;
    assert.equal(of(SHOP), of(SHOP.replace('# The example', '# An example')));
    const others = [
      SHOP.replace('title: Shop', 'title: Store'),
      SHOP.replace('base_path: /api', 'base_path: /shop'),
      SHOP.replace('max: 100', 'max: 99'),
      SHOP.replace('maxLength: 200', 'maxLength: 201'),
      SHOP.replace('DRAFT: [ACTIVE]', 'DRAFT: [CLOSED]'),
      SHOP.replace('id: uuid', "id: { client: '^a' }"),
      SHOP.replace('id: uuid', "id: { client: '^b' }"),
    ];
    assert.equal(new Set([SHOP, ...others].map(of)).size, others.length + 1);
  });

  it('[CACHE-1] [EVT-9e] leaves relays out of the fingerprint, which the database stores', () => {
    const of = (text: string): string => load(text, { env }).model.fingerprint;
    const other = SHOP.replace('nats: nats://127.0.0.1:4222', 'redis: redis://:secret@127.0.0.1:6379').replace(
      ', subject: shop }',
      ' }',
    );
    assert.notEqual(other, SHOP);
    assert.equal(of(other), of(SHOP));
  });

  it('[REP-2] compiles the pattern of client ids', () => {
    const { id } = resource(
      load(SMALLEST.replace('items:', () => "items:\n    id: { client: '^[a-z]+$' }")).model,
      'items',
    );
    assert.ok(id.kind === 'client' && id.pattern?.test('abc') && !id.pattern.test('ABC') && id.pattern.test('abc'));
    assert.deepEqual(resource(load(SMALLEST.replace('items:', 'items:\n    id: client')).model, 'items').id, {
      kind: 'client',
      pattern: null,
      optional: false,
      number: false,
    });
    const options = SMALLEST.replace('items:', 'items:\n    id: { client: true, optional: true, number: true }');
    assert.deepEqual(resource(load(options).model, 'items').id, {
      kind: 'client',
      pattern: null,
      optional: true,
      number: true,
    });
    assert.match(
      listProblems(SMALLEST.replace('items:', "items:\n    id: { client: '[' }"))[0]?.cause ?? '',
      /not a valid regular expression/,
    );
  });

  it('[ERR-4] reports file, line, path, cause and fix, but no value of an environment variable', () => {
    const [problem] = listProblems('name: ${NAME}\nresources: { items: { schema: { type: object } } }\n', {
      file: 'shop.yaml',
      env: { NAME: 'Top Secret' },
    });
    assert.ok(problem !== undefined);
    const line = formatProblem(problem);
    assert.match(line, /^shop\.yaml:1:1: name: name must match the pattern .*; expected: .* such as shop$/);
    assert.doesNotMatch(line, /Top Secret/);
  });

  it('[ERR-4] says that a document is empty, and describes what is expected within the sentence', () => {
    const [line = ''] = listProblems('').map(formatProblem);
    assert.match(line, /1:1: the document is empty; expected: an API: its name and its resources$/);
    const [missing = ''] = listProblems('name: a\n').map(formatProblem);
    assert.match(missing, /resources is required; expected: the resources by plural name in snake_case$/);
  });

  it('reports an unset variable once, without problems that follow from it', () => {
    assert.deepEqual(
      listProblems('name: ${NAME}\nresources: { items: { schema: { type: object } } }\n').map(({ cause }) => cause),
      ['the environment variable NAME is not set'],
    );
  });
});
