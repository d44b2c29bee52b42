import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Model } from '../../src/model/model.ts';
import type { StoredRowChange } from '../../src/versions/row-changes.ts';
import { describeRowStep } from '../../src/versions/row-step.ts';

/** @param body the resources and the versions, in YAML flow style */
function model(version: string, body: string): Model {
  return loadModel({ text: `{ name: store, version: ${version}, default_version: 1, ${body} }` }).model;
}

const resources = (properties: string, options = '', name = 'products'): string =>
  `resources: { ${name}: { ${options} schema: { type: object, properties: { ${properties} } } } }`;

/** The changes of a step as lines: resource, effect, text, and the rows that need consent. */
function linesBetween(was: Model, is: Model, version: string | null = '1'): readonly string[] {
  const older = is.versions.find((each) => String(each.version.major) === version) ?? null;
  return describeRowStep(was, is, older).map(describeChange);
}

function describeChange({ resource, effect, what, consent, reversible }: StoredRowChange): string {
  const lasting = reversible ? '' : ' !';
  return `${resource} ${effect} ${what}${consent === null ? '' : ` [${consent}]`}${lasting}`;
}

const STATUS = 'status: { type: string, enum: [draft, live, sold] }';

describe('the effect of a step on stored rows', () => {
  it('[VER-5c] names each change of the list, and what only renames a column', () => {
    const was = model('1.4.0', resources(`title: { type: string }, ${STATUS}, city: { type: string }`));
    const is = model(
      '2.0.0',
      `${resources('name: { type: string }, currency: { type: string, default: EUR }, status: { type: string, enum: [DRAFT, ACTIVE, SOLD] }, place: { type: object, properties: { city: { type: string } } }')},
      versions: { 1.4.0: { changes: [
        { resource: products, rename: { title: name }, without: [currency], fill: { currency: USD },
          values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } }, move: { city: place.city } }] } }`,
    );
    assert.deepEqual(linesBetween(was, is).toSorted(), [
      'products adds currency',
      'products adds currency: USD in these rows',
      'products converts city to place.city',
      'products converts values of status (draft to DRAFT, live to ACTIVE, sold to SOLD)',
      'products renames title to name',
    ]);
  });

  it('[OPS-4d] says "lose" only of values that the older contract would not show again', () => {
    const was = model('1.0.0', resources(`${STATUS}, fax: { type: string }`));
    const versions = (changes: string): string =>
      `versions: { 1.0.0: { changes: [{ resource: products, ${changes} }] } }`;
    const newest = resources('status: { type: string, enum: [DRAFT, DONE] }');
    const is = model(
      '2.0.0',
      `${newest}, ${versions('values: { status: { draft: DRAFT, live: DONE, sold: DONE } }, default_out: { status: live }, with: { fax: { schema: { type: string }, out: "-" } }')}`,
    );
    assert.deepEqual(linesBetween(was, is).toSorted(), [
      'products converts values of status (draft to DRAFT, live to DONE, sold to DONE) [rows with sold would show another value in 1.0.0] !',
      'products drops fax [rows whose value is not - lose it] !',
    ]);
  });

  it('[VER-5c] names the values of the published model that no value of the successor stands for', () => {
    const was = model('1.0.0', resources(STATUS));
    const is = model(
      '2.0.0',
      `${resources('state: { type: string, enum: [DRAFT, LIVE] }')}, versions: { 1.0.0: { changes: [{ resource: products, rename: { status: state }, values: { status: { draft: DRAFT, live: LIVE } } }] } }`,
    );
    assert.deepEqual(linesBetween(was, is), [
      'products converts status to state',
      'products converts values of status (draft to DRAFT, live to LIVE) [rows with sold have no value that is allowed]',
    ]);
  });

  it('[VER-5c] has the changes of all versions between, the oldest first', () => {
    const was = model('1.0.0', resources('a: { type: string }', '', 'articles'));
    const is = model(
      '3.0.0',
      `${resources('c: { type: string }')}, versions: {
        2.0.0: { changes: [{ resource: products, rename: { b: c } }] },
        1.0.0: { changes: [{ resource: products, collection: articles, singular: article, rename: { a: b } }] } }`,
    );
    assert.deepEqual(linesBetween(was, is).toSorted(), [
      'products renames a to b',
      'products renames b to c',
      'products renames the collection articles to products',
    ]);
  });

  it('[OPS-4d] finds what no list has: dropped, retyped, renamed and required fields, and collections', () => {
    const was = model(
      '1.0.0',
      `resources: { products: { schema: { type: object, required: [size], properties: { a: { type: string }, size: { type: integer }, tag: { type: string }, note: { type: string } } } }, orders: { schema: { type: object, properties: { n: { type: integer } } } } }`,
    );
    const is = model(
      '1.1.0',
      `resources: { products: { schema: { type: object, required: [code], properties: { b: { type: string, x-was: a }, size: { type: number }, tag: { type: boolean }, code: { type: string }, more: { type: string } } } }, bills: { schema: { type: object, properties: { n: { type: integer } } } } }`,
    );
    assert.deepEqual(linesBetween(was, is, null).toSorted(), [
      'bills adds the collection',
      'orders drops the collection [its rows are lost] !',
      'products adds code [rows need a value: declare a default]',
      'products adds more',
      'products converts size from integer to number !',
      'products drops note [rows that have a value lose it] !',
      'products drops tag from text to boolean [rows that have a value lose it] !',
      'products renames a to b',
    ]);
  });

  it('[OPS-4d] has none on rows of tables that exist, which no migration changes', () => {
    const was = model('1.4.0', resources('title: { type: string }, size: { type: integer }', 'table: product,'));
    const is = model(
      '2.0.0',
      `${resources('name: { type: string }, rank: { type: integer, maximum: 9 }', 'table: product,')},
      versions: { 1.4.0: { changes: [{ resource: products, rename: { title: name }, without: [rank] }] } }`,
    );
    assert.deepEqual(linesBetween(was, is), []);
    assert.deepEqual(linesBetween(was, model('1.5.0', resources('name: { type: string }', '', 'other')), null), [
      'other adds the collection',
    ]);
  });

  it('[OPS-4d] has nothing to say where rows stay as they are', () => {
    const was = model('1.0.0', resources(STATUS));
    assert.deepEqual(linesBetween(was, model('1.0.1', resources(STATUS, 'indexes: [status],')), null), []);
  });

  it('[OPS-4d] names members of objects with another name, those that are lost, and a former name that is wrong', () => {
    const place = (members: string): string => `place: { type: object, properties: { ${members} } }`;
    const lines = (members: string): string =>
      `lines: { type: array, items: { type: object, properties: { ${members} } } }`;
    const text = '{ type: string }';
    const was = model('1.4.0', resources(`${place(`town: ${text}, shelf: ${text}`)}, ${lines(`n: ${text}`)}`));
    const step = (properties: string): readonly string[] =>
      linesBetween(was, model('1.5.0', resources(properties)), null);
    const city = place(
      `city: { type: string, x-was: town }, in: { type: object, properties: { shelf: { type: string, x-was: place.shelf } } }`,
    );
    assert.deepEqual(step(`${city}, ${lines('no: { type: string, x-was: n }')}`), [
      'products converts place.town to place.city',
      'products converts place.shelf to place.in.shelf',
      'products converts lines[].n to lines[].no',
    ]);
    assert.deepEqual(step(`${place('city: { type: string, x-was: town }')}, ${lines(`m: ${text}`)}`), [
      'products converts place.town to place.city',
      'products drops place.shelf [rows that have a value lose it] !',
      'products drops lines[].n [rows that have a value lose it] !',
    ]);
    assert.deepEqual(step(`${place(`city: { type: string, x-was: twon }, shelf: ${text}`)}, ${lines(`n: ${text}`)}`), [
      'products checks place.city has x-was: twon, and place of the database has no twon, but town: write town [it is refused]',
      'products drops place.town [rows that have a value lose it] !',
    ]);
  });
});
