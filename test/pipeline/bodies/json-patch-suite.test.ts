import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { applyJsonPatch, parseJsonPatch } from '../../../src/conventions/json/json-patch.ts';
import { apiUnderTest } from '../support/api-under-test.ts';

/** A case of the public suite. Without `error` it succeeds; without `expected` only its success is specified. */
interface Case {
  readonly comment?: string;
  readonly doc: Json;
  readonly patch: readonly JsonObject[];
  readonly expected?: Json;
  readonly error?: string;
  /** Cases that JSON parsers cannot represent (duplicate members), and those that the suite leaves open. */
  readonly disabled?: boolean;
}

/** The cases of https://github.com/json-patch/json-patch-tests (Apache-2.0), from its npm package. */
const cases = ['spec_tests', 'tests'].flatMap((name): readonly Case[] => {
  const file = fileURLToPath(import.meta.resolve(`json-patch-test-suite/${name}.json`));
  return (JSON.parse(readFileSync(file, 'utf8')) as readonly Case[]).filter(({ disabled }) => disabled !== true);
});

const titleOf = ({ comment, doc, patch }: Case): string =>
  `${comment === undefined ? '' : `${comment}: `}${JSON.stringify(doc)} with ${JSON.stringify(patch)}`;

describe('the public test suite of JSON Patch', () => {
  it('has its cases', () => {
    assert.equal(cases.length, 91);
    assert.equal(servable.length, 76);
  });

  for (const each of cases) {
    it(`[MET-3] applies ${titleOf(each)}`, () => {
      const parsed = parseJsonPatch([...each.patch]);
      const outcome = parsed.kind === 'invalid' ? parsed : applyJsonPatch(each.doc, parsed.operations);
      assert.equal(outcome.kind === 'patched', each.error === undefined, JSON.stringify(outcome));
      if (outcome.kind === 'patched' && each.expected !== undefined) {
        assert.deepEqual(outcome.document, each.expected);
      }
    });
  }
});

/** A field type as in a model, or null: no type of a model has all of these values. */
type FieldType = Readonly<Record<string, unknown>>;

/** Infers the narrowest type of a model that accepts all of the values. */
function inferType(values: readonly Json[]): FieldType | null {
  const set = values.filter((value) => value !== null);
  if (set.every((value) => typeof value === 'string')) return { type: 'string' };
  if (set.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
  if (set.every((value) => typeof value === 'number')) return { type: 'integer' };
  if (set.every((value): value is Json[] => Array.isArray(value))) {
    const items = inferType(set.flat());
    return items === null || set.some((list) => list.includes(null)) ? null : { type: 'array', items };
  }
  return set.every(isObject) ? objectType(set) : null;
}

/** An object with properties whose names are allowed, else a map. */
function objectType(values: readonly JsonObject[]): FieldType | null {
  const names = [...new Set(values.flatMap((value) => Object.keys(value)))];
  if (names.length > 0 && names.every((name) => /^[a-z][a-z0-9_]*$/.test(name))) {
    const types = names.map((name) => [name, inferType(values.map((value) => value[name] ?? null))] as const);
    return types.some(([, type]) => type === null) ? null : { type: 'object', properties: Object.fromEntries(types) };
  }
  const additionalProperties = inferType(values.flatMap((value) => Object.values(value)));
  return additionalProperties === null ? null : { type: 'object', additionalProperties };
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The cases whose document and result one field of a model can contain, with its type. */
const servable = cases.flatMap((each) => {
  const type = inferType(each.expected === undefined ? [each.doc] : [each.doc, each.expected]);
  return type === null || isScalar(each.doc) ? [] : [{ each, type }];
});

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

/** A representation has every property: unset ones are null, unset arrays empty (REP-4). */
function withoutUnset(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutUnset);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => !isUnset(member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUnset(member)]));
}

const isUnset = (value: Json): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** The patch for a document that is the field `doc` of a resource. */
function below(patch: readonly JsonObject[]): readonly JsonObject[] {
  const moved = (operation: JsonObject, name: string): JsonObject =>
    typeof operation[name] === 'string' ? { [name]: `/doc${operation[name]}` } : {};
  return patch.map((operation) => ({ ...operation, ...moved(operation, 'path'), ...moved(operation, 'from') }));
}

describe('the public test suite of JSON Patch, over HTTP', () => {
  for (const { each, type } of servable) {
    it(`[MET-3] applies ${titleOf(each)}`, async () => {
      const resources = { files: { schema: { type: 'object', properties: { doc: type } } } };
      await using api = await apiUnderTest(JSON.stringify({ name: 'suite', version: '1.0.0', resources }));
      const created = await api.send({ send: 'POST /api/v1/files', body: { doc: each.doc } });
      assert.equal(created.status, 201, created.text);
      const patched = await api.send({
        send: `PATCH /api/v1/files/${String(created.body['id'])}`,
        headers: { 'Content-Type': 'application/json-patch+json' },
        body: below(each.patch),
      });
      if (each.error === undefined) assert.equal(patched.status, 200, patched.text);
      else assert.ok([400, 409].includes(patched.status), patched.text);
      const read = await api.send({ send: `GET /api/v1/files/${String(created.body['id'])}` });
      const document = each.error === undefined ? (each.expected ?? each.doc) : each.doc;
      assert.deepEqual(withoutUnset(read.body['doc']), withoutUnset(document));
    });
  }
});
