import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const INNER = `{ type: object, properties: { zip: { type: string, default: none }, city: { type: string } } }`;
const MEMBERS = `name: { type: string }, note: { type: string, default: usual }, inner: ${INNER}`;
const THING = `{ type: object, properties: { ${MEMBERS} } }`;
const MODEL = `
name: shop
version: 2.0.0
default_version: 2
versions:
  1.0.0: { changes: [ { resource: boxes, rename: { parts: items, spot: place } } ] }
resources:
  boxes:
    schema:
      type: object
      properties: {
        ${MEMBERS}, place: ${THING}, items: { type: array, items: ${THING} },
        by_key: { type: object, additionalProperties: ${THING} },
        lists: { type: object, additionalProperties: { type: array, items: { type: object, properties: { thing: ${THING} } } } }
      }
`;

/** The names of two members, as each version has them. */
const VERSIONS = [
  { version: 'v2', place: 'place', items: 'items' },
  { version: 'v1', place: 'spot', items: 'parts' },
] as const;

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(MODEL);
});
after(() => shop.close());

const text = fc.constantFrom('a', 'b');
const inner = fc.record({ zip: text, city: text }, { requiredKeys: [] });
const member = fc.constantFrom('/name', '/note', '/inner', '/inner/zip', '/inner/city');
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('remove'), path: member }) },
  fc.record({
    op: fc.constantFrom('add', 'replace'),
    path: fc.constantFrom('/name', '/note', '/inner/zip'),
    value: text,
  }),
  fc.record({ op: fc.constantFrom('add', 'replace'), path: fc.constant('/inner'), value: inner }),
  fc.record({
    op: fc.constantFrom('copy', 'move'),
    from: fc.constantFrom('/name', '/note'),
    path: fc.constant('/note'),
  }),
);
type Change = { readonly op: string; readonly path: string; readonly from?: string; readonly value?: unknown };

function below(place: string, { op, path, from, value }: Change): JsonObject {
  const named = { op, path: `${place}${path}`, ...(from === undefined ? {} : { from: `${place}${from}` }) };
  return JSON.parse(JSON.stringify({ ...named, ...(value === undefined ? {} : { value }) }));
}

function pickMembers({ name, note, inner: own }: JsonObject): JsonObject {
  return { name: name ?? null, note: note ?? null, inner: own ?? null };
}

describe('a JSON Patch', () => {
  for (const { version, place, items } of VERSIONS) {
    const url = `/api/${version}/boxes`;

    async function stored(): Promise<string> {
      const thing = { name: 'n', note: 'x', inner: { zip: 'z', city: 'c' } };
      const body = {
        ...thing,
        [place]: thing,
        [items]: [thing, thing],
        by_key: { k: thing },
        lists: { l: [{ thing }] },
      };
      return (await shop.send({ send: `POST ${url}`, body })).body.id;
    }

    async function patch(id: string, body: readonly JsonObject[]): Promise<JsonObject | number> {
      const headers = { 'Content-Type': 'application/json-patch+json' };
      const got = await shop.send({ send: `PATCH ${url}/${id}`, headers, body: JSON.stringify(body) });
      return got.status === 200 ? got.body : got.status;
    }

    it(`[MET-3] [REP-4] unsets removed members of items of arrays, without their defaults, in ${version}`, async () => {
      const removed = ['', `/${place}`, `/${items}/1`, '/by_key/k', '/lists/l/0/thing'].flatMap((at) => [
        { op: 'remove', path: `${at}/note` },
        { op: 'remove', path: `${at}/inner/zip` },
      ]);
      const moved = [
        { op: 'move', from: `/${items}/1`, path: `/${items}/0` },
        { op: 'copy', from: `/${items}/0`, path: `/${items}/-` },
        { op: 'add', path: `/${items}/-`, value: { inner: {} } },
      ];
      const got = await patch(await stored(), [...removed, ...moved]);
      assert.ok(typeof got === 'object');
      const unset = { name: 'n', note: null, inner: { zip: null, city: 'c' } };
      const kept = { name: 'n', note: 'x', inner: { zip: 'z', city: 'c' } };
      const added = { name: null, note: 'usual', inner: { zip: 'none', city: null } };
      assert.deepEqual(pickMembers(got), unset);
      assert.deepEqual(got[place], unset);
      assert.deepEqual(got[items], [unset, kept, unset, added]);
      assert.deepEqual([got['by_key'], got['lists']], [{ k: unset }, { l: [{ thing: unset }] }]);
    });

    it(`[MET-3] changes the members of every object alike, in ${version}`, async () => {
      const places = [`/${place}`, `/${items}/0`, '/by_key/k', '/lists/l/0/thing'];
      const law = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        const id = await stored();
        const top = await patch(
          id,
          changes.map((each) => below('', each)),
        );
        for (const at of places) {
          const got = await patch(
            await stored(),
            changes.map((each) => below(at, each)),
          );
          if (typeof top === 'number' || typeof got === 'number') assert.equal(got, top, at);
          else assert.deepEqual(valueAt(got, at), pickMembers(top), at);
        }
      });
      await fc.assert(law, { numRuns: 30, seed: 40 });
    });
  }
});

function valueAt(document: JsonObject, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce<JsonObject>((value, token) => Object(value)[token], document);
}
