import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../extent.ts';
import type { Json } from '../../../src/conventions/json/json.ts';
import { create } from '../models/shop-model.ts';
import { SETTINGS } from '../models/settings-model.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const UPDATED = ['device.updated'];
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };
const SENT = '{"z":1,"a":[{"y":null,"x":2.50}],"":"é","n":{"b":true,"a":false}}';
const STORED = { z: 1, a: [{ y: null, x: 2.5 }], '': 'é', n: { b: true, a: false } };

let lab: ApiUnderTest;
before(async () => {
  lab = await apiUnderTest(SETTINGS);
});
after(() => lab.close());

let last = 0;
/** Creates a device and returns its path. */
async function device(fields: object): Promise<string> {
  last += 1;
  await create(lab, 'devices', { id: `d${last}`, ...fields });
  return `/api/v1/devices/d${last}`;
}

describe('a field of any JSON', () => {
  it('[REP-14] has the value and the order of members that were sent', async () => {
    const send = 'POST /api/v1/devices';
    const sent = `{"id":"sent","settings":${SENT}}`;
    const created = await lab.row({ send, body: sent, status: 201, events: ['device.created'] });
    const read = await lab.row({ send: 'GET /api/v1/devices/sent', status: 200 });
    const page = await lab.row({ send: 'GET /api/v1/devices?id=sent', status: 200 });
    const shown = JSON.stringify(STORED);
    for (const { text } of [created, read, page]) assert.ok(text.includes(`"settings":${shown}`), text);
  });

  for (const value of ['text', '', '3', 'null', 3, -0.5, 1e300, true, false, {}, [], [null], { a: null }, [[]]]) {
    it(`[REP-14] may be ${JSON.stringify(value)}`, async () => {
      const path = await device({ settings: value });
      await lab.row({ send: `GET ${path}`, status: 200, has: { settings: value } });
    });
  }

  it('[REP-4] is unset by null, has its default where it is absent, and refuses null where it is required', async () => {
    const path = await device({ settings: 1, values: { a: 1 } });
    await lab.row({ send: `GET ${path}`, status: 200, has: { config: { mode: 'auto' } } });
    const put = { config: [], settings: null, values: { a: {} }, parts: null };
    await lab.row({
      send: `PUT ${path}`,
      body: put,
      status: 200,
      has: { config: [], settings: null, parts: [], values: { a: {} } },
      events: UPDATED,
    });
    for (const [body, field] of [
      [{ config: null }, 'config'],
      [{ parts: [1, null] }, 'parts[1]'],
      [{ values: { a: null } }, 'values.a'],
    ] as const) {
      const { body: error } = await lab.row({ send: `PUT ${path}`, body: { config: 1, ...body }, status: 400 });
      assert.deepEqual(error.details, [{ field, message: 'is required' }]);
    }
  });

  it('[REP-14] has only the values of its enum, which are compared by value', async () => {
    const path = await device({ mode: { own: true } });
    await lab.row({ send: `PATCH ${path}`, body: { mode: 3 }, status: 200, has: { mode: 3 }, events: UPDATED });
    const { body } = await lab.row({ send: `PUT ${path}`, body: { mode: '3' }, status: 400 });
    assert.deepEqual(body.details, [{ field: 'mode', message: 'must be one of auto, 3, {"own":true}' }]);
  });

  for (const [what, settings] of [
    ['duplicate names', '{"a":1,"a":2}'],
    ['a name of a prototype', '{"__proto__":1}'],
    ['an integer beyond 2^53-1', '{"a":9007199254740993}'],
    ['a lone surrogate', '"\\ud800"'],
    ['NUL in a name', '{"\\u0000":1}'],
    ['a depth of 33 levels', `${'['.repeat(32)}${']'.repeat(32)}`],
  ] as const) {
    it(`[REP-7] is refused with ${what}`, async () => {
      const body = `{"id":"refused","settings":${settings}}`;
      const { body: error } = await lab.row({ send: 'POST /api/v1/devices', body, status: 400 });
      assert.equal(error.errorCode, 'REQUEST_BODY_MALFORMED');
    });
  }

  it('[REP-7] can be sent again as it was returned, at the greatest depth', async () => {
    const settings = `${'['.repeat(31)}${']'.repeat(31)}`;
    const send = 'POST /api/v1/devices';
    await lab.row({ send, body: `{"id":"deep","settings":${settings}}`, status: 201, events: ['device.created'] });
    const { text } = await lab.row({ send: 'GET /api/v1/devices/deep', status: 200 });
    await lab.row({ send: 'PUT /api/v1/devices/deep', body: text, status: 200 });
  });

  it('[REP-14] has the same order of members in every response, where a name is an array index', async () => {
    const settings = '{"b":{"2":1,"10":2,"a":3},"a":1}';
    const send = 'POST /api/v1/devices';
    await lab.row({ send, body: `{"id":"index","settings":${settings}}`, status: 201, events: ['device.created'] });
    const shown = '{"b":{"10":2,"2":1,"a":3},"a":1}';
    for (const path of ['devices/index', 'devices?id=index&fields=settings', 'events?resource_id=index']) {
      const { text } = await lab.row({ send: `GET /api/v1/${path}`, status: 200 });
      assert.ok(text.includes(`"settings":${shown}`), text);
    }
  });
});

describe('a patch of any JSON', () => {
  const rows: readonly (readonly [clause: string, before: unknown, patch: unknown, after: unknown])[] = [
    ['MET-3', { theme: 'dark', size: 3 }, { theme: null }, { size: 3 }],
    ['MET-3', { theme: 'dark', size: 3 }, { theme: 'light', on: true }, { theme: 'light', size: 3, on: true }],
    ['MET-3', { deep: { a: 1, b: 2 } }, { deep: { a: null, c: { d: null, e: 1 } } }, { deep: { b: 2, c: { e: 1 } } }],
    ['MET-3', { list: [1, 2] }, { list: [null] }, { list: [null] }],
    ['MET-3', 'text', { a: 1 }, { a: 1 }],
    ['MET-3', { a: 1 }, 'text', 'text'],
    ['MET-3', { a: 1 }, [], []],
    ['MET-3', { a: 1 }, null, null],
    ['MET-3', null, { a: { b: null } }, { a: {} }],
  ];
  for (const [clause, settings, patch, expected] of rows) {
    it(`[${clause}] of ${JSON.stringify(settings)} by ${JSON.stringify(patch)}`, async () => {
      const path = await device({ settings });
      const body = { settings: patch };
      const has = { settings: expected };
      await lab.row({ send: `PATCH ${path}`, body, status: 200, has, events: UPDATED });
      await lab.row({ send: `GET ${path}`, status: 200, has });
    });
  }

  it('[MET-7] that changes the order of members alone is no change', async () => {
    const path = await device({ settings: { a: 1, b: 2 } });
    const { body } = await lab.row({ send: `PUT ${path}`, body: { settings: { b: 2, a: 1 } }, status: 200 });
    assert.equal(JSON.stringify(body.settings), '{"a":1,"b":2}');
    await lab.row({ send: `PATCH ${path}`, body: { settings: { c: null } }, status: 200 });
  });

  it('[MET-3] by JSON Patch reads and writes the values in it', async () => {
    const path = await device({ settings: { list: [1, 2], a: { b: 1 } } });
    const operations = [
      { op: 'test', path: '/settings/a', value: { b: 1 } },
      { op: 'add', path: '/settings/list/1', value: { x: null } },
      { op: 'remove', path: '/settings/a/b' },
      { op: 'copy', from: '/settings/list', path: '/settings/copy' },
      { op: 'move', from: '/settings/list', path: '/settings/a/list' },
    ];
    const list = [1, { x: null }, 2];
    const has = { settings: { a: { list }, copy: list } };
    await lab.row({ send: `PATCH ${path}`, headers: JSON_PATCH, body: operations, status: 200, has, events: UPDATED });
    const failing = [{ op: 'test', path: '/settings/a', value: {} }];
    await lab.row({ send: `PATCH ${path}`, headers: JSON_PATCH, body: failing, status: 409 });
  });

  it('[REP-7] by JSON Patch does not make it deeper than a body', async () => {
    const path = await device({ settings: [[]] });
    const add = (level: number): object => ({ op: 'add', path: `/settings${'/0'.repeat(level)}`, value: [] });
    const patch = { send: `PATCH ${path}`, headers: JSON_PATCH };
    const operations = Array.from({ length: 29 }, (_, index) => add(index + 2));
    await lab.row({ ...patch, body: operations, status: 200, events: UPDATED });
    const { body } = await lab.row({ ...patch, body: [add(31)], status: 400 });
    assert.deepEqual(body.details, [{ field: 'settings', message: 'must be nested at most 31 levels deep' }]);
  });
});

describe('any JSON in other formats', () => {
  const accepted = [
    ['application/xml', '<settings>{"z":1,"a":[{"y":null,"x":2.5}],"":"é","n":{"b":true,"a":false}}</settings>'],
    ['text/csv', '"{""z"":1,""a"":[{""y"":null,""x"":2.5}],"""":""é"",""n"":{""b"":true,""a"":false}}"'],
    ['text/plain', 'settings.a[0].x: 2.5\n'],
  ] as const;
  for (const [type, part] of accepted) {
    it(`[NEG-4] [NEG-1] [NEG-6] is returned as ${type}`, async () => {
      const path = await device({ settings: STORED });
      const id = path.slice('/api/v1/devices/'.length);
      const send = `GET /api/v1/devices?id=${id}`;
      const { text } = await lab.row({ send, headers: { Accept: type }, status: 200 });
      assert.ok(text.includes(part), text);
    });
  }

  const sent = [
    ['application/xml', '<device><settings>{"a":[1,null]}</settings></device>', { a: [1, null] }],
    ['application/xml', '<device><settings> "x&amp;y" </settings></device>', 'x&y'],
    ['application/xml', '<device><settings>null</settings></device>', null],
    [
      'application/xml',
      '<device><settings xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></device>',
      null,
    ],
    ['application/x-www-form-urlencoded', 'settings={"a":[1,null]}', { a: [1, null] }],
    ['application/x-www-form-urlencoded', 'settings=3', 3],
    ['application/x-www-form-urlencoded', 'settings=%223%22', '3'],
    ['application/x-www-form-urlencoded', 'settings=', null],
    ['application/x-www-form-urlencoded', 'settings', null],
  ] as const;
  for (const [type, body, settings] of sent) {
    it(`[NEG-4] [NEG-5] is read from ${type}: ${body}`, async () => {
      const path = await device({ settings: 'before' });
      const headers = { 'Content-Type': type };
      await lab.row({ send: `PATCH ${path}`, headers, body, status: 200, has: { settings }, events: UPDATED });
    });
  }

  const refused = [
    [
      'application/xml',
      '<device><settings>dark</settings></device>',
      'line 1, column 19: must be JSON, with strings in quotes; at line 1, column 1: expected a value.',
    ],
    ['application/xml', '<device><settings/></device>', 'line 1, column 19: must be JSON, with strings in quotes.'],
    [
      'application/xml',
      '<device><settings><a>1</a></settings></device>',
      'line 1, column 19: must be JSON, with strings in quotes.',
    ],
    [
      'application/xml',
      '<device><settings>{"a":1,"a":2}</settings></device>',
      'line 1, column 19: must be JSON, with strings in quotes; at line 1, column 8: duplicate member name.',
    ],
    [
      'application/x-www-form-urlencoded',
      'settings=dark',
      'settings: must be JSON, with strings in quotes; at line 1, column 1: expected a value.',
    ],
    ['application/x-www-form-urlencoded', 'settings[a]=1', 'settings: must be JSON, with strings in quotes.'],
    ['application/x-www-form-urlencoded', 'settings[]', 'settings: must be JSON, with strings in quotes.'],
    ['application/x-www-form-urlencoded', 'settings=1&settings=2', 'settings: must be sent only once.'],
    ['application/x-www-form-urlencoded', 'config=', 'config: must be JSON, with strings in quotes.'],
  ] as const;
  for (const [type, body, message] of refused) {
    it(`[NEG-4] [NEG-5] is refused in ${type}: ${body}`, async () => {
      const path = await device({});
      const { body: error } = await lab.row({
        send: `PATCH ${path}`,
        headers: { 'Content-Type': type },
        body,
        status: 400,
      });
      assert.equal(error.errorMessage, `Malformed body at ${message}`);
    });
  }
});

/** Any JSON that a body may contain, but null. */
const { value } = fc.letrec<{ value: Json; inner: Json }>((tie) => ({
  inner: fc.oneof({ maxDepth: 4 }, fc.constant(null), tie('value')),
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('', 'null', '3', '=1', '-', '\r\n', '\u0001', '\u2028', ']]>'),
    fc.maxSafeInteger().map((each) => each + 0),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((each) => Math.abs(each) < 1e15)
      .map((each) => each + 0),
    fc.boolean(),
    fc.array(tie('inner'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('0', '10', '9a', 'é')), tie('inner'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

describe('any JSON that is stored', () => {
  it('[REP-14] [NEG-4] is read as it was sent, in JSON and XML', async () => {
    await fc.assert(
      fc.asyncProperty(value, value, async (settings, part) => {
        const body = {
          settings,
          config: part,
          parts: [part, settings],
          values: { x: settings },
          place: { extra: part, city: null },
        };
        const path = await device(body);
        const read = await lab.send({ send: `GET ${path}` });
        assert.deepEqual({ ...read.body, ...body }, read.body);
        const xml = await lab.send({ send: `GET ${path}`, headers: { Accept: 'application/xml' } });
        const headers = { 'Content-Type': 'application/xml' };
        // A write of the same values changes nothing.
        await lab.row({
          send: `PUT ${path}`,
          headers,
          body: xml.text,
          status: 200,
          has: { revision: read.body.revision },
        });
      }),
      { numRuns: runs(60, 1_000) },
    );
  });
});
