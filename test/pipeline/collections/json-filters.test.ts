import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../extent.ts';
import type { Json } from '../../../src/conventions/json/json.ts';
import { create, parseIds } from '../models/shop-model.ts';
import { deviceId, devicesWith } from '../models/settings-model.ts';
import type { ApiUnderTest, Seen } from '../support/api-under-test.ts';

/** The settings of the devices a, b, c, ... */
const STORED: readonly unknown[] = [
  { theme: 'dark', size: 3, on: true, deep: { '0': 'zero', name: 'Ada' } },
  { theme: 'Dark', size: '3', on: 'true', deep: [{ name: 'Ada' }] },
  { theme: 'da', size: 10, on: false, "it's": 1 },
  { theme: null, size: -2.5, list: ['dark'], é: 'ü' },
  { size: 1e21, theme: '"dark"', toString: 'own', $: 'a,b' },
  'dark',
  3,
  false,
  [],
  ['dark', { theme: 'dark' }],
  null,
];

describe('a filter on any JSON', () => {
  let lab: ApiUnderTest;
  before(async () => {
    lab = await devicesWith(STORED);
  });
  after(() => lab.close());
  const get = (query: string): Promise<Seen> => lab.row({ send: `GET /api/v1/devices?${query}`, status: 200 });

  const rows: readonly (readonly [clause: string, query: string, ids: string])[] = [
    ['QRY-1', 'settings.theme=dark', 'a'],
    ['QRY-1', 'settings.theme[eq]=dark', 'a'],
    ['QRY-1', 'filter[settings.theme]=dark', 'a'],
    ['QRY-1', 'settings.theme[in]=dark,da', 'ac'],
    ['QRY-1', 'settings.theme=dark&settings.theme=da', 'ac'],
    ['QRY-1', 'settings.theme[ne]=dark', 'bcdefghijk'],
    ['QRY-1', 'settings.theme[nin]=dark,Dark,da', 'defghijk'],
    ['QRY-8', 'settings.size=3', 'ab'],
    ['QRY-8', 'settings.size=3.0', 'a'],
    ['QRY-8', 'settings.size=%223%22', 'b'],
    ['QRY-8', 'settings.size[ne]=3', 'cdefghijk'],
    ['QRY-8', 'settings.size[in]=3,10', 'abc'],
    ['QRY-8', 'settings.size[nin]=3,10', 'defghijk'],
    ['QRY-8', 'settings.size=1e21', 'e'],
    ['QRY-8', 'settings.size=1000000000000000000000', 'e'],
    ['QRY-8', 'settings.on=true', 'ab'],
    ['QRY-8', 'settings.on=%22true%22', 'b'],
    ['QRY-8', 'settings.on=false', 'c'],
    ['QRY-8', 'settings.on[in]=true,false', 'abc'],
    ['QRY-8', 'settings.on=1', ''],
    ['QRY-8', 'settings.theme=null', ''],
    ['QRY-8', 'settings.theme=%22dark%22', 'a'],
    ['QRY-8', 'settings.theme=%22%5C%22dark%5C%22%22', 'e'],
    ['QRY-8', 'settings.size[gt]=3', 'ce'],
    ['QRY-8', 'settings.size[gte]=3', 'ace'],
    ['QRY-8', 'settings.size[lt]=3', 'd'],
    ['QRY-8', 'settings.size[lte]=-2.5', 'd'],
    ['QRY-8', 'settings.size[gte]=%223%22', 'b'],
    ['QRY-8', 'settings.theme[gt]=Dark', 'ac'],
    ['QRY-8', 'settings.theme[lte]=Dark', 'be'],
    ['QRY-8', 'settings.theme[contains]=ark', 'abe'],
    ['QRY-8', 'settings.theme[contains]=3', ''],
    ['QRY-8', 'settings.theme[starts_with]=da', 'ac'],
    ['QRY-8', 'settings.theme[starts_with]=', 'abce'],
    ['QRY-8', 'settings.theme[exists]=true', 'abce'],
    ['QRY-8', 'settings.theme[exists]=false', 'dfghijk'],
    ['QRY-8', 'settings.list[exists]=true', 'd'],
    ['QRY-8', 'settings.list=dark', ''],
    ['QRY-8', 'settings.deep.name=Ada', 'a'],
    ['QRY-8', 'settings.deep.0=zero', 'a'],
    ['QRY-8', 'settings.0=dark', ''],
    ['QRY-8', 'settings.deep.0.name=Ada', ''],
    ['QRY-8', "settings.it's=1", 'c'],
    ['QRY-8', 'settings.%C3%A9=%C3%BC', 'd'],
    ['QRY-8', 'settings.toString=own', 'e'],
    ['QRY-8', 'settings.valueOf[exists]=true', ''],
    ['QRY-8', 'settings.$=a,b', 'e'],
    ['QRY-8', 'settings.$[in]=a%2Cb,c', 'e'],
    ['QRY-8', 'settings=dark', 'f'],
    ['QRY-8', 'settings=3', 'g'],
    ['QRY-8', 'settings[gt]=2', 'g'],
    ['QRY-8', 'settings=false', 'h'],
    ['QRY-8', 'settings[exists]=true', 'abcdefghij'],
    ['QRY-8', 'settings[exists]=false', 'k'],
    ['QRY-1', 'any[1][settings.theme]=dark&any[2][settings.size]=10', 'ac'],
    ['QRY-1', 'settings.theme=dark&settings.size=10', ''],
    ['QRY-1', 'config.mode=auto&id=a', 'a'],
  ];
  for (const [clause, query, ids] of rows) {
    it(`[${clause}] ${query} finds ${ids === '' ? 'none' : ids}`, async () => {
      assert.equal(parseIds(await get(query)).join(''), ids);
    });
  }

  const refused: readonly (readonly [clause: string, query: string, code: string])[] = [
    ['QRY-2', 'settings.theme[exists]=yes', 'QUERY_FILTER_INVALID'],
    ['QRY-2', 'settings.theme[near]=x', 'QUERY_FILTER_INVALID'],
    ['QRY-5', 'settings.=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', 'settings..a=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', 'settings.a%22b=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', 'settings.a%5Cb=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', 'settings.a%0Ab=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', `settings${'.a'.repeat(33)}=x`, 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', 'secret.a=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-5', 'values.a=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['QRY-3', 'sort=settings', 'QUERY_SORT_INVALID'],
    ['QRY-3', 'sort=settings.theme', 'QUERY_SORT_INVALID'],
  ];
  for (const [clause, query, code] of refused) {
    it(`[${clause}] ${query} is refused`, async () => {
      const { body } = await lab.row({ send: `GET /api/v1/devices?${query}`, status: 400 });
      assert.equal(body.errorCode, code);
    });
  }

  it('[PAGE-6] [QRY-8] a cursor restores it, and is refused with another one', async () => {
    const filter = 'settings.size[in]=3,10,-2.5&settings.theme[exists]=true';
    const first = await get(`${filter}&limit=1`);
    const next = await get(`after=${first.body.page.next_cursor}&limit=9`);
    assert.deepEqual([parseIds(first), parseIds(next)], [['a'], ['b', 'c']]);
    const other = `settings.size[in]=3,10&after=${first.body.page.next_cursor}`;
    await lab.row({ send: `GET /api/v1/devices?${other}`, status: 400 });
    const followed = await lab.row({ send: `GET ${first.body.links.next}`, status: 200 });
    assert.deepEqual(parseIds(followed), ['b']);
  });

  it('[QRY-1] leads into the JSON of a related row, and inside of an object', async () => {
    await create(lab, 'probes', { id: 'p', device_id: 'a' });
    await create(lab, 'probes', { id: 'q' });
    await lab.row({
      send: 'PATCH /api/v1/devices/a',
      body: { place: { extra: { floor: 2 } } },
      status: 200,
      events: ['device.updated'],
    });
    assert.deepEqual(parseIds(await lab.send({ send: 'GET /api/v1/probes?device.settings.theme=dark' })), ['p']);
    assert.deepEqual(parseIds(await lab.send({ send: 'GET /api/v1/probes?device.settings.theme[ne]=dark' })), ['q']);
    assert.deepEqual(parseIds(await get('place.extra.floor[gte]=2')), ['a']);
  });
});

/** A value with the types and names that filters on JSON treat differently. */
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom<Json>(
      'a',
      'b',
      '1',
      'true',
      '',
      'é',
      '😀',
      null,
      true,
      false,
      0,
      1,
      -1,
      1.5,
      9007199254740991,
      1e300,
    ),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', 'é'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const operator = fc.constantFrom(
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'contains',
  'starts_with',
  'exists',
);
const operand = fc.constantFrom('a', 'b', '1', '0', '-1', '1.5', 'true', 'false', '', 'é', '"1"', '9007199254740991');
const names = fc.array(fc.constantFrom('a', 'b', '0', 'é'), { maxLength: 3 });

interface Comparison {
  readonly path: readonly string[];
  readonly named: string;
  readonly text: string;
}

/** Tells if a filter should find a row: an oracle that reads JSON, and shares no code with the server. */
function matches(settings: Json, { path, named, text }: Comparison): boolean {
  const isObject = (held: unknown): held is Record<string, unknown> =>
    typeof held === 'object' && held !== null && !Array.isArray(held);
  const found = path.reduce<unknown>((held, name) => (isObject(held) && name in held ? held[name] : null), settings);
  if (named === 'exists') return (text === 'true') === (found !== null);
  const quoted = text === '"1"';
  const number = quoted || !/^-?[0-9]+(\.[0-9]+)?$/.test(text) ? null : Number(text);
  const string = quoted ? '1' : text;
  const isEqual =
    found === string ||
    (number !== null && found === number) ||
    (!quoted && String(found) === text && typeof found === 'boolean');
  const order =
    number === null
      ? typeof found === 'string' && Buffer.compare(Buffer.from(found), Buffer.from(string))
      : typeof found === 'number' && Math.sign(found - number);
  switch (named) {
    case 'eq':
    case 'in':
      return isEqual;
    case 'ne':
    case 'nin':
      return !isEqual;
    case 'contains':
      return typeof found === 'string' && found.includes(text);
    case 'starts_with':
      return typeof found === 'string' && found.startsWith(text);
    default:
      if (order === false) return false;
      return named.startsWith('g')
        ? order > 0 || (named === 'gte' && order === 0)
        : order < 0 || (named === 'lte' && order === 0);
  }
}

describe('filters on any JSON', () => {
  it('[QRY-8] find what an oracle finds, for any value, path, operator and text', async () => {
    const comparison = fc.record({ path: names, named: operator, text: operand });
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 4, maxLength: 20 }),
        fc.array(comparison, { minLength: 10, maxLength: 20 }),
        async (stored, comparisons) => {
          await using lab = await devicesWith(stored);
          for (const { path, named, text } of comparisons) {
            const sent = named === 'exists' ? String(text === 'true') : text;
            const name = ['settings', ...path].map(encodeURIComponent).join('.');
            const seen = await lab.send({
              send: `GET /api/v1/devices?limit=100&${name}[${named}]=${encodeURIComponent(sent)}`,
            });
            const expected = stored.flatMap((each, index) =>
              matches(each, { path, named, text: sent }) ? [deviceId(index)] : [],
            );
            assert.deepEqual(parseIds(seen), expected, `${name}[${named}]=${sent}`);
          }
        },
      ),
      { numRuns: runs(10, 200) },
    );
  });

  it('[QRY-8] answer any names and values, with 200 or 400', async () => {
    const anyName = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom("it's", '$', '*', "';--", '{}', '#', '?', ':x', '$1', '\0', '"', '\\', '__proto__', '0', '-1'),
    );
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('1e999', '"\\u0000"', '"\\ud800"', '"', '""', '9'.repeat(400), '1e-400', '-0', '5e-324'),
    );
    await using lab = await devicesWith([{ a: 'x', "it's": 1, $: { '*': true } }, 'x', 3]);
    const sent = (text: string): string => encodeURIComponent(text.toWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.array(anyName, { maxLength: 4 }), operator, anyText, async (path, named, text) => {
        const name = ['settings', ...path].map(sent).join('.');
        const { status, text: body } = await lab.send({ send: `GET /api/v1/devices?${name}[${named}]=${sent(text)}` });
        assert.ok(status === 200 || status === 400, body);
      }),
      { numRuns: runs(300, 5_000) },
    );
  });
});
