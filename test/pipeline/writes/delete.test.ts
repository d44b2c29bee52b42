import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
import { collection, fill, composeModel } from '../models/references-model.ts';

interface Case {
  readonly title: string;
  readonly model: string;
  readonly rows: Readonly<Record<string, object>>;
  readonly remove: string;
  /** `type id`, in order; empty if the delete is rejected. */
  readonly events: readonly string[];
  /** Expected members of the remaining rows; null for a deleted row. */
  readonly after: Readonly<Record<string, object | null>>;
}

const RELEASED: readonly Case[] = [
  {
    title: '[MET-4e] nullify sets the reference to null before the delete, and keeps the other fields',
    model: composeModel(collection('as'), collection('bs', { a: 'as nullify' })),
    rows: { 'as/1': {}, 'as/2': {}, 'bs/1': { a: '1', text: 'x' }, 'bs/2': { a: '2' } },
    remove: 'as/1',
    events: ['b.updated 1', 'a.deleted 1'],
    after: { 'as/1': null, 'bs/1': { a: null, text: 'x' }, 'bs/2': { a: '2' } },
  },
  {
    title: '[MET-4e] nullify removes all references from an array and keeps the order of the others',
    model: composeModel(collection('as'), collection('bs', { all: '*as nullify' })),
    rows: { 'as/1': {}, 'as/2': {}, 'as/3': {}, 'bs/1': { all: ['3', '1', '2', '1'] }, 'bs/2': { all: ['2'] } },
    remove: 'as/1',
    events: ['b.updated 1', 'a.deleted 1'],
    after: { 'bs/1': { all: ['3', '2'] }, 'bs/2': { all: ['2'] } },
  },
  {
    title: '[MET-4d] a row with two references is updated once',
    model: composeModel(collection('as'), collection('bs', { a: 'as nullify', b: 'as nullify', all: '*as nullify' })),
    rows: { 'as/1': {}, 'bs/1': { a: '1', b: '1', all: ['1'] } },
    remove: 'as/1',
    events: ['b.updated 1', 'a.deleted 1'],
    after: { 'bs/1': { a: null, b: null, all: [] } },
  },
  {
    title: '[MET-4d] cascade follows references, and each deleted row has its event before the row that it refers to',
    model: composeModel(
      collection('as'),
      collection('bs', { a: 'as cascade' }),
      collection('cs', { all: '*bs cascade' }),
    ),
    rows: { 'as/1': {}, 'bs/1': { a: '1' }, 'cs/1': { all: ['1'] } },
    remove: 'as/1',
    events: ['c.deleted 1', 'b.deleted 1', 'a.deleted 1'],
    after: { 'as/1': null, 'bs/1': null, 'cs/1': null },
  },
  {
    title: '[MET-4d] a row that is reached twice is deleted once',
    model: composeModel(
      collection('as'),
      collection('bs', { a: 'as cascade' }),
      collection('cs', { a: 'as cascade', b: 'bs cascade' }),
    ),
    rows: { 'as/1': {}, 'bs/1': { a: '1' }, 'cs/1': { a: '1', b: '1' } },
    remove: 'as/1',
    events: ['c.deleted 1', 'b.deleted 1', 'a.deleted 1'],
    after: { 'cs/1': null },
  },
  {
    title: '[MET-4e] a deleted row is not updated first, in any order of declaration',
    model: composeModel(
      collection('as'),
      collection('bs', { a: 'as cascade' }),
      collection('cs', { a: 'as cascade', b: 'bs nullify' }),
    ),
    rows: { 'as/1': {}, 'bs/1': { a: '1' }, 'cs/1': { a: '1', b: '1' } },
    remove: 'as/1',
    events: ['c.deleted 1', 'b.deleted 1', 'a.deleted 1'],
    after: { 'bs/1': null, 'cs/1': null },
  },
  {
    title: '[MET-4e] a deleted row is not updated first, and does not restrict the row that it refers to',
    model: composeModel(
      collection('as'),
      collection('bs', { a: 'as cascade', c: 'cs nullify' }),
      collection('cs', { a: 'as cascade' }),
    ),
    rows: { 'as/1': {}, 'cs/1': { a: '1' }, 'bs/1': { a: '1', c: '1' } },
    remove: 'as/1',
    events: ['b.deleted 1', 'c.deleted 1', 'a.deleted 1'],
    after: { 'bs/1': null, 'cs/1': null },
  },
  {
    title: '[MET-4e] a deleted row with an array of references is not updated first',
    model: composeModel(
      collection('as'),
      collection('bs', { a: 'as cascade', all: '*cs nullify' }),
      collection('cs', { a: 'as cascade' }),
    ),
    rows: { 'as/1': {}, 'cs/1': { a: '1' }, 'bs/1': { a: '1', all: ['1'] } },
    remove: 'as/1',
    events: ['b.deleted 1', 'c.deleted 1', 'a.deleted 1'],
    after: { 'bs/1': null, 'cs/1': null },
  },
  {
    title: '[MET-4c] restrict ignores references of rows that are deleted too',
    model: composeModel(
      collection('as'),
      collection('bs', { a: 'as cascade' }),
      collection('cs', { a: 'as cascade', b: 'bs restrict', all: '*as restrict' }),
    ),
    rows: { 'as/1': {}, 'bs/1': { a: '1' }, 'cs/1': { a: '1', b: '1', all: ['1'] } },
    remove: 'as/1',
    events: ['c.deleted 1', 'b.deleted 1', 'a.deleted 1'],
    after: { 'as/1': null, 'bs/1': null, 'cs/1': null },
  },
  {
    title: '[MET-4c] a row with a restrict reference to itself can be deleted',
    model: composeModel(collection('as', { self: 'as restrict', all: '*as restrict' })),
    rows: { 'as/1': { self: '1', all: ['1'] } },
    remove: 'as/1',
    events: ['a.deleted 1'],
    after: { 'as/1': null },
  },
  {
    title: '[MET-4e] a row with a nullify reference to itself can be deleted',
    model: composeModel(collection('as', { self: 'as nullify', all: '*as nullify' })),
    rows: { 'as/1': { self: '1', all: ['1'] } },
    remove: 'as/1',
    events: ['a.deleted 1'],
    after: { 'as/1': null },
  },
  {
    title: '[MET-4d] a row with a cascade reference to itself can be deleted',
    model: composeModel(collection('as', { self: 'as cascade', all: '*as cascade' })),
    rows: { 'as/1': { self: '1', all: ['1'] } },
    remove: 'as/1',
    events: ['a.deleted 1'],
    after: { 'as/1': null },
  },
  {
    title: '[MET-4d] a tree in one collection is deleted from its leaves up',
    model: composeModel(collection('as', { up: 'as cascade' })),
    rows: { 'as/1': {}, 'as/2': { up: '1' }, 'as/3': { up: '2' }, 'as/4': { up: '3' }, 'as/5': {} },
    remove: 'as/2',
    events: ['a.deleted 4', 'a.deleted 3', 'a.deleted 2'],
    after: { 'as/1': {}, 'as/2': null, 'as/3': null, 'as/4': null, 'as/5': {} },
  },
  {
    title: '[MET-4e] a nullify chain within one collection is updated one level deep',
    model: composeModel(collection('as', { up: 'as nullify' })),
    rows: { 'as/1': {}, 'as/2': { up: '1' }, 'as/3': { up: '2' } },
    remove: 'as/1',
    events: ['a.updated 2', 'a.deleted 1'],
    after: { 'as/2': { up: null }, 'as/3': { up: '2' } },
  },
  {
    title: '[MET-4d] children are deleted with their parent through three levels, and references to them are updated',
    model: composeModel(
      collection('as'),
      collection('bs', {}, 'parent: as\n    on_parent_delete: cascade'),
      collection('cs', {}, 'parent: bs\n    on_parent_delete: cascade'),
      collection('ds', { c: 'as cascade' }),
      collection('es', { c: 'as nullify' }),
    ),
    rows: { 'as/1': {}, 'as/1/bs/1': {}, 'as/1/bs/1/cs/1': {}, 'ds/1': { c: '1' }, 'es/1': { c: '1' } },
    remove: 'as/1',
    events: ['e.updated 1', 'd.deleted 1', 'c.deleted 1', 'b.deleted 1', 'a.deleted 1'],
    after: { 'as/1': null, 'ds/1': null, 'es/1': { c: null } },
  },
  {
    title: '[MET-4e] a nested row whose reference is set to null has an event with its own URL',
    model: composeModel(
      collection('as'),
      collection('bs', {}, 'parent: as'),
      collection('cs', { x: 'xs nullify' }, 'parent: bs'),
      collection('xs'),
    ),
    rows: { 'as/1': {}, 'as/1/bs/1': {}, 'xs/1': {}, 'as/1/bs/1/cs/1': { x: '1' } },
    remove: 'xs/1',
    events: ['c.updated 1', 'x.deleted 1'],
    after: { 'as/1/bs/1/cs/1': { x: null } },
  },
  {
    title: '[MET-4d] a cascade array deletes its row with any of its items',
    model: composeModel(collection('as'), collection('bs', { all: '*as cascade' })),
    rows: { 'as/1': {}, 'as/2': {}, 'bs/1': { all: ['2', '1'] } },
    remove: 'as/2',
    events: ['b.deleted 1', 'a.deleted 2'],
    after: { 'as/1': {}, 'bs/1': null },
  },
];

describe('DELETE of a row with dependents', () => {
  for (const { title, model, rows, remove, events, after } of RELEASED) {
    it(title, async () => {
      await using api = await apiUnderTest(model);
      await fill(api, rows);
      const { status, text } = await api.send({ send: `DELETE /api/v1/${remove}` });
      assert.equal(status, 204, text);
      const published = (await api.newEvents()).map(({ type, payload }) => `${type} ${payload.resource.id}`);
      assert.deepEqual(published, events);
      for (const [path, members] of Object.entries(after)) {
        const send = `GET /api/v1/${path}`;
        if (members === null) await api.row({ send, status: 404 });
        else await api.row({ send, status: 200, has: { ...members } });
      }
    });
  }
});

/** Rejected deletes: the code, and a word of the message that names the dependents. */
const HELD: readonly (Pick<Case, 'title' | 'model' | 'rows' | 'remove'> & { code: string; names: RegExp })[] = [
  {
    title: '[MET-4c] restrict is the default of a reference',
    model: composeModel(collection('as'), collection('bs', { a: 'as' })),
    rows: { 'as/1': {}, 'bs/1': { a: '1' } },
    remove: 'as/1',
    code: 'A_HAS_DEPENDENTS',
    names: /bs/,
  },
  {
    title: '[MET-4c] restrict applies to arrays of references',
    model: composeModel(collection('as'), collection('bs', { all: '*as' })),
    rows: { 'as/1': {}, 'as/2': {}, 'bs/1': { all: ['2', '1'] } },
    remove: 'as/1',
    code: 'A_HAS_DEPENDENTS',
    names: /bs/,
  },
  {
    title: '[MET-4c] restrict is the default of children',
    model: composeModel(collection('as'), collection('bs', {}, 'parent: as')),
    rows: { 'as/1': {}, 'as/1/bs/1': {} },
    remove: 'as/1',
    code: 'A_HAS_DEPENDENTS',
    names: /bs/,
  },
  {
    title: '[MET-4c] one restricted row rejects a whole cascade',
    model: composeModel(
      collection('as'),
      collection('bs', {}, 'parent: as\n    on_parent_delete: cascade'),
      collection('cs', {}, 'parent: bs'),
      collection('ds', { a: 'as nullify' }),
    ),
    rows: { 'as/1': {}, 'as/1/bs/1': {}, 'as/1/bs/1/cs/1': {}, 'ds/1': { a: '1' } },
    remove: 'as/1',
    code: 'A_HAS_DEPENDENTS',
    names: /cs/,
  },
  {
    title: '[MET-4e] a row with a nullify reference still restricts with another reference',
    model: composeModel(collection('as'), collection('bs', { a: 'as nullify', b: 'as restrict' })),
    rows: { 'as/1': {}, 'bs/1': { a: '1', b: '1' } },
    remove: 'as/1',
    code: 'A_HAS_DEPENDENTS',
    names: /bs/,
  },
  {
    title: '[MET-4c] a row of the same collection restricts',
    model: composeModel(collection('as', { up: 'as restrict' })),
    rows: { 'as/1': {}, 'as/2': { up: '1' } },
    remove: 'as/1',
    code: 'A_HAS_DEPENDENTS',
    names: /as/,
  },
];

describe('DELETE of a restricted row', () => {
  for (const { title, model, rows, remove, code, names } of HELD) {
    it(title, async () => {
      await using api = await apiUnderTest(model);
      await fill(api, rows);
      const before = await Promise.all(Object.keys(rows).map((path) => api.send({ send: `GET /api/v1/${path}` })));
      const { body } = await api.row({ send: `DELETE /api/v1/${remove}`, status: 409, has: { errorCode: code } });
      assert.match(body['errorMessage'], names);
      assert.match(body['errorMessage'], /remove or change/, '[ERR-4] says what to do');
      const after = await Promise.all(Object.keys(rows).map((path) => api.send({ send: `GET /api/v1/${path}` })));
      assert.deepEqual(
        after.map(({ text }) => text),
        before.map(({ text }) => text),
      );
    });
  }
});
