import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, listProblems, load, rejectsEach, resource } from '../../loading.ts';

const namedDocument = (name: string, rest = '', top = ''): string =>
  `name: shop\n${top}resources:\n  ${name}: { schema: { type: object }${rest === '' ? '' : `, ${rest}`} }\n`;

function rejected(
  title: string,
  name: string,
  cause: RegExp,
  options: { rest?: string; key?: string; fix?: RegExp } = {},
): InvalidDocument {
  const key = options.key === undefined ? '' : `.${options.key}`;
  const path = `resources.${name}${key}`;
  return { title, text: namedDocument(name, options.rest), path, line: 3, cause, fix: options.fix ?? /./ };
}

describe('the names of a resource', () => {
  it('[ERR-2] [EVT-2] derive the singulars that released versions have', () => {
    const words =
      'caches:cache cookies:cookie lenses:lens canvases:canvas axes:axis calories:calorie movies:movie ' +
      'selfies:selfie ties:tie statuses:status viruses:virus aliases:alias biases:bias analyses:analysis ' +
      'crises:crisis databases:database licenses:license indices:index indexes:index matrices:matrix ' +
      'criteria:criterion data:datum news:news series:series people:person children:child niches:niche ' +
      'excuses:excuse uses:use media:media metadata:metadata feedback:feedback canvas:canvas cpus:cpu ' +
      'mice:mouse order_items:order_item page_caches:page_cache addresses:address responses:response';
    const singulars = Object.fromEntries(words.split(' ').map((pair) => pair.split(':')));
    const found = Object.keys(singulars).map((name) => [
      name,
      resource(load(namedDocument(name)).model, name).singular,
    ]);
    assert.deepEqual(Object.fromEntries(found), singulars);
  });

  const rows: readonly (readonly [name: string, rest: string, collection: string, singular: string, code: string])[] = [
    ['order_items', '', 'order-items', 'order_item', 'ORDER_ITEM'],
    ['products', '', 'products', 'product', 'PRODUCT'],
    ['people', '', 'people', 'person', 'PERSON'],
    ['categories', '', 'categories', 'category', 'CATEGORY'],
    ['addresses', '', 'addresses', 'address', 'ADDRESS'],
    ['news', '', 'news', 'news', 'NEWS'],
    ['data', 'singular: datum_point', 'data', 'datum_point', 'DATUM_POINT'],
    ['products', 'error_prefix: SHOP_GOODS', 'products', 'product', 'SHOP_GOODS'],
    ['batch_events', 'singular: event, error_prefix: SHOP_EVENT', 'batch-events', 'event', 'SHOP_EVENT'],
  ];
  for (const [name, rest, collection, singular, code] of rows) {
    it(`[URL-2] come from ${name} ${rest}`, () => {
      const { model } = load(namedDocument(name, rest));
      const found = resource(model, name);
      assert.deepEqual([found.collection, found.singular, found.code], [collection, singular, code]);
      assert.equal(model.collections.get(collection), found);
    });
  }

  const verbs =
    'get fetch read find search create add insert make update edit modify change set put patch save delete remove do run execute perform process cancel activate deactivate send';
  for (const verb of verbs.split(' ')) {
    it(`[URL-2] cannot be a verb: ${verb}, ${verb}_orders`, () => {
      for (const name of [verb, `${verb}_orders`]) {
        assert.match(listProblems(namedDocument(name, 'singular: thing'))[0]?.cause ?? '', /is a verb/);
        assert.deepEqual(listProblems(namedDocument(name, 'singular: thing, noun: true')), []);
      }
    });
  }

  it('[URL-2] can contain words that only resemble a verb', () => {
    for (const name of ['settings', 'addresses', 'documents', 'processes', 'order_updates', 'readers']) {
      assert.deepEqual(listProblems(namedDocument(name)), []);
    }
  });

  rejectsEach([
    rejected('[URL-2] must be in snake_case', 'orderItems', /snake_case/),
    rejected('[URL-2] cannot be a version', 'v2', /reserved for versions/),
    ...[
      'self',
      'collection',
      'up',
      'first',
      'prev',
      'next',
      'last',
      'canonical',
      'service_desc',
      'service_desc_events',
      'service_doc',
    ].map((name) =>
      rejected(`[REP-12] cannot be a link of the server: ${name}`, name, /is the name of a link/, {
        rest: 'singular: thing',
      }),
    ),
    ...['events', 'webhooks', 'batches', 'api_keys'].map((name) =>
      rejected(`[REP-12] cannot be ${name}, which the server reserves`, name, /reserved by the server/, {
        rest: 'singular: thing',
      }),
    ),
    ...[
      'request',
      'auth',
      'pagination',
      'query',
      'rate',
      'idempotency',
      'api',
      'webhook',
      'event',
      'batch',
      'server',
    ].map((singular) =>
      rejected(`[ERR-2] cannot start the error codes of ${singular}`, 'things', /are reserved by the server/, {
        rest: `singular: ${singular}`,
        key: 'singular',
        fix: /error_prefix/,
      }),
    ),
    rejected(
      '[ERR-2] cannot form an existing error code',
      'api_versions',
      /API_VERSION_INVALID is reserved by the server/,
      { fix: /error_prefix/ },
    ),
    rejected('[ERR-2] cannot form one with error_prefix', 'things', /IDEMPOTENCY_KEY_INVALID/, {
      rest: 'error_prefix: IDEMPOTENCY_KEY',
      key: 'error_prefix',
    }),
    rejected('[ERR-2] must form error codes of words', 'order__items', /not a valid prefix of error codes/, {
      fix: /error_prefix/,
    }),
    rejected('require a singular in snake_case', 'things', /must match the pattern/, {
      rest: 'singular: Thing',
      key: 'singular',
    }),
    rejected('[ERR-2] require a prefix in upper case', 'things', /must match the pattern/, {
      rest: 'error_prefix: thing',
      key: 'error_prefix',
    }),
    {
      title: '[REP-12] cannot be a path of the server with a base path of /',
      text: namedDocument('docs', '', 'base_path: /\n'),
      path: 'resources.docs',
      line: 4,
      cause: /reserved by the server/,
      fix: /another name/,
    },
  ]);

  it('[REP-12] can be a collection of the server that is renamed, but not its new name', () => {
    const renamed = 'system: { events: log, api-keys: keys }\n';
    assert.deepEqual(listProblems(namedDocument('events', 'singular: thing', renamed)), []);
    assert.deepEqual(listProblems(namedDocument('docs')), []);
    assert.match(listProblems(namedDocument('keys', '', renamed))[0]?.cause ?? '', /reserved by the server/);
  });

  const two = (first: string, second: string): string => `name: shop\nresources:\n  ${first}\n  ${second}\n`;
  rejectsEach([
    {
      title: 'must be unique: the singular',
      text: two('people: { schema: { type: object } }', 'persons: { schema: { type: object }, error_prefix: HUMAN }'),
      path: 'resources.persons',
      line: 4,
      cause: /singular person is already in use by people/,
      fix: /singular/,
    },
    {
      title: '[ERR-2] must be unique: the error prefix',
      text: two('goods: { schema: { type: object } }', 'wares: { schema: { type: object }, error_prefix: GOOD }'),
      path: 'resources.wares',
      line: 4,
      cause: /error prefix GOOD is already in use by goods/,
      fix: /error_prefix/,
    },
    {
      title: 'must be unique: the former name',
      text: two('goods: { schema: { type: object } }', 'wares: { schema: { type: object }, was: goods }'),
      path: 'resources.wares.was',
      line: 4,
      cause: /goods is in use/,
      fix: /previous name/,
    },
  ]);

  it('[OPS-1a] give schemas and operations of descriptions one name each: where two would have one, both lines are reported', () => {
    const pairs: readonly (readonly [one: string, other: string, name: string])[] = [
      ['a_1s', 'a1s', 'A1'],
      ['products', 'product_pages', 'ProductPage'],
      ['orders', 'order_creates', 'OrderCreate'],
    ];
    for (const [one, other, name] of pairs) {
      const lines = [one, other].map((each) => `  ${each}: { noun: true, schema: { type: object } }`);
      const problems = listProblems(`name: shop\nresources:\n${lines.join('\n')}\n`);
      assert.deepEqual(
        problems.map(({ line, path }) => [line, path]),
        [
          [3, `resources.${one}`],
          [4, `resources.${other}`],
        ],
      );
      for (const { cause, fix } of problems) {
        assert.match(cause, new RegExp(`would name ${name} what`));
        assert.match(fix, /set singular/);
      }
    }
    assert.match(listProblems(namedDocument('api_errors'))[0]?.cause ?? '', /ApiError/);
  });
});
