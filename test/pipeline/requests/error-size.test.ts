import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

const LAB = `
name: lab
version: 1.0.0
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        size: { type: integer }
        parts: { type: object, additionalProperties: { type: integer } }
        dims: { type: object, properties: { w: { type: integer } } }
`;

/** Fits into a request target. */
const LONG = 'x'.repeat(7_000);
const HUGE = 'x'.repeat(400_000);
const NOTES = '/api/v1/notes';

function typed(type: string): Record<string, string> {
  return { 'Content-Type': type };
}

const FORM = typed('application/x-www-form-urlencoded');
const XML = typed('application/xml');
const PATCH = typed('application/json-patch+json');
const MULTIPART = typed('multipart/form-data; boundary=b');

function batch(operation: object, atomic = true): Request {
  return { send: 'POST /api/v1/batches', body: { atomic, operations: [operation] } };
}

function part(name: string, header: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n${header}\r\n\r\n1\r\n--b--\r\n`;
}

type Request = Pick<ExchangeRow, 'send' | 'headers' | 'body'>;

/** Requests with something long in each place that an error quotes. */
const REQUESTS: readonly (readonly [what: string, request: Request])[] = [
  ['an unknown parameter', { send: `GET ${NOTES}?${LONG}=1` }],
  ['an unknown parameter like a known one', { send: `GET ${NOTES}?siz[${LONG}]=1` }],
  ['a repeated parameter', { send: `GET ${NOTES}?${LONG.slice(0, 3_000)}=1&${LONG.slice(0, 3_000)}=1` }],
  ['an operator', { send: `GET ${NOTES}?size[${LONG}]=1` }],
  ['a filter value', { send: `GET ${NOTES}?size=${LONG}` }],
  ['a filter in brackets', { send: `GET ${NOTES}?filter[size][${LONG}]=1` }],
  ['sort', { send: `GET ${NOTES}?sort=${LONG}` }],
  ['a repeated key of sort', { send: `GET ${NOTES}?sort=${LONG.slice(0, 3_000)},${LONG.slice(0, 3_000)}` }],
  ['fields', { send: `GET ${NOTES}?fields=${LONG}` }],
  ['a member of fields', { send: `GET ${NOTES}?fields=dims.${LONG}` }],
  ['expand', { send: `GET ${NOTES}?expand=${LONG}` }],
  ['a deep expand', { send: `GET ${NOTES}?expand=a.b.c.d.${LONG}` }],
  ['api_version', { send: `GET /api/notes?api_version=${'9'.repeat(7_000)}` }],
  ['API-Version', { send: 'GET /api/notes', headers: { 'API-Version': '9'.repeat(7_000) } }],
  ['a version in the path', { send: `GET /api/v${'9'.repeat(7_000)}/notes` }],
  [
    'a version in Accept',
    { send: 'GET /api/notes', headers: { Accept: `application/vnd.lab.v${'9'.repeat(7_000)}+json` } },
  ],
  [
    'many fields in a form',
    { send: `QUERY ${NOTES}`, headers: FORM, body: `fields=${`${LONG.slice(0, 2_000)},`.repeat(400)}` },
  ],
  [
    'many unknown parameters in a form',
    { send: `QUERY ${NOTES}`, headers: FORM, body: many((index) => `${LONG.slice(0, 2_000)}${index}=1`).join('&') },
  ],
  ['an unknown field', { send: `POST ${NOTES}`, body: { id: 'a', [HUGE]: 1 } }],
  [
    'many unknown fields',
    { send: `POST ${NOTES}`, body: Object.fromEntries(many((index) => [`${LONG.slice(0, 900)}${index}`, 1])) },
  ],
  [
    'many unknown members',
    {
      send: `POST ${NOTES}`,
      body: { id: 'a', dims: Object.fromEntries(many((index) => [`${LONG.slice(0, 900)}${index}`, 1])) },
    },
  ],
  [
    'many keys of a map',
    {
      send: `POST ${NOTES}`,
      body: { id: 'a', parts: Object.fromEntries(many((index) => [`"${LONG.slice(0, 900)}${index}`, 'x'])) },
    },
  ],
  ['an id', { send: `POST ${NOTES}`, body: { id: HUGE } }],
  ['a value', { send: `POST ${NOTES}`, body: { id: 'a', size: HUGE } }],
  ['a pointer', { send: `PATCH ${NOTES}/n`, headers: PATCH, body: [{ op: 'remove', path: `/${HUGE}` }] }],
  ['an operation of a patch', { send: `PATCH ${NOTES}/n`, headers: PATCH, body: [{ op: HUGE, path: HUGE }] }],
  ['an element', { send: `POST ${NOTES}`, headers: XML, body: `<note><${HUGE}/></note>` }],
  ['a repeated element', { send: `POST ${NOTES}`, headers: XML, body: `<note><${HUGE}/><${HUGE}/></note>` }],
  ['an attribute', { send: `POST ${NOTES}`, headers: XML, body: `<note ${HUGE}="1"/>` }],
  ['a root element', { send: `POST ${NOTES}`, headers: XML, body: `<${HUGE}/>` }],
  ['a field of a form', { send: `POST ${NOTES}`, headers: FORM, body: `id=a&${HUGE}=1` }],
  ['a list in a form', { send: `POST ${NOTES}`, headers: FORM, body: `id=a&${HUGE}=1&${HUGE}[]=1` }],
  ['a repeated field of a form', { send: `POST ${NOTES}`, headers: FORM, body: `id=a&${HUGE}=1&${HUGE}=1` }],
  ['a deep field of a form', { send: `POST ${NOTES}`, headers: FORM, body: `id=a&a${'[bbbbbbbb]'.repeat(20_000)}=1` }],
  [
    'a part',
    {
      send: `POST ${NOTES}`,
      headers: MULTIPART,
      body: part(HUGE.slice(0, 8_000), 'Content-Type: text/plain; charset=x'),
    },
  ],
  ['a method of a batch', batch({ method: HUGE, path: '/notes' })],
  ['a path of a batch', batch({ method: 'POST', path: `/notes?${LONG}=1`, body: { id: 'b' } })],
  ['a long path of a batch', batch({ method: 'POST', path: `/${HUGE}` })],
  ['a member of a batch', batch({ [HUGE]: 1 })],
  ['a header field of a batch', batch({ method: 'POST', path: '/notes', headers: { [HUGE]: 'x', Prefer: HUGE } })],
  ['a body in a batch', batch({ method: 'POST', path: '/notes', body: { [HUGE]: 1 } })],
  ['a body in a batch that is not atomic', batch({ method: 'POST', path: '/notes', body: { [HUGE]: 1 } }, false)],
  [
    'a line of NDJSON',
    { send: `POST ${NOTES}`, headers: typed('application/x-ndjson'), body: JSON.stringify({ [HUGE]: 1 }) },
  ],
  ['Content-Type', { send: `POST ${NOTES}`, headers: typed(`${LONG}/${LONG}`), body: '{}' }],
  ['Content-Encoding', { send: `POST ${NOTES}`, headers: { 'Content-Encoding': LONG }, body: '{}' }],
  ['Idempotency-Key', { send: `POST ${NOTES}`, headers: { 'Idempotency-Key': LONG }, body: { id: 'c' } }],
  ['If-Match', { send: `PATCH ${NOTES}/n`, headers: { 'If-Match': LONG }, body: {} }],
  ['Accept', { send: `GET ${NOTES}`, headers: { Accept: `${LONG}/x` } }],
  ['Expect', { send: `POST ${NOTES}`, headers: { Expect: LONG }, body: {} }],
  ['Host', { send: `GET ${NOTES}`, headers: { Host: `${LONG} ` } }],
  ['Origin', { send: `POST ${NOTES}`, headers: { Origin: `http://${LONG}` }, body: {} }],
  ['a method', { send: `${LONG.toUpperCase()} ${NOTES}` }],
];

function many<T>(make: (index: number) => T): readonly T[] {
  return Array.from({ length: 400 }, (_, index) => make(index));
}

/** An error with 100 details, each of which quotes 100 characters. */
const MOST = 40_000;

describe('an error', () => {
  let lab: ApiUnderTest;
  before(async () => {
    lab = await apiUnderTest(LAB);
    await create(lab, 'notes', { id: 'n' });
  });
  after(() => lab.close());

  for (const [what, request] of REQUESTS) {
    it(`[ERR-4] quotes at most 100 characters of ${what}`, async () => {
      const { text } = await lab.send(request);
      assert.match(text, /"httpStatus":[45]/);
      assert.ok(text.length < MOST, `${text.length} characters`);
      const [longest = ''] = (text.match(/x{30,}|9{30,}|(?:bbbbbbbb\]?\[?){30,}/g) ?? []).toSorted(
        (one, other) => other.length - one.length,
      );
      assert.ok(longest.length <= 100, `${longest.length} characters in ${text.slice(0, 400)}`);
    });
  }
});
