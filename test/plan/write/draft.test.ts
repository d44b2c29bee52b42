import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import {
  changedFields,
  createDraft,
  type Draft,
  type DraftRule,
  isReadOnlyMember,
  mergeDraft,
  patchDraft,
  replaceDraft,
} from '../../../src/plan/write/draft.ts';
import { bodyRevision } from '../../../src/plan/write/draft-id.ts';
import type { FieldValues, Row } from '../../../src/plan/plan.ts';
import type { Steps } from '../../../src/platform/time-slices.ts';
import { type Compiled, compiled, draftRule, itemsDocument, makeRow } from '../rules.ts';

const PROPERTIES = [
  'name: { type: string, minLength: 1 }',
  'sku: { type: string, x-immutable: true }',
  'size: { type: integer, default: 1 }',
  'part: { type: object, properties: { a: { type: string, default: x }, b: { type: string } } }',
  'map: { type: object, additionalProperties: { type: string } }',
  'list: { type: array, items: { type: string } }',
  'phase: { type: string, enum: [NEW, OPEN, DONE], default: NEW }',
  'secret: { type: string, writeOnly: true }',
  'owner: { type: string, readOnly: true }',
].join(', ');
const STATE = '{"required":["name"],"state":{"field":"phase","initial":"NEW","transitions":{"NEW":["OPEN"]}}}';
const items = compiled(itemsDocument(PROPERTIES, STATE), 'items');
const noted = compiled(itemsDocument('text: { type: string }', '{"id":{"client":"^[a-z]+$"}}'), 'items');
const rule = draftRule(items);

const CURRENT = makeRow({
  name: 'n',
  sku: 's',
  size: 5,
  part: { a: 'p', b: 'q' },
  map: { k: 'v' },
  list: ['l'],
  phase: 'NEW',
  secret: 'hush',
  owner: 'me',
});
const { id, created_at, updated_at, revision, ...FIELDS } = CURRENT;
/** The representation without links, to which a JSON patch applies. */
const { secret, ...SHOWN } = CURRENT;

function selectValues(draft: Draft): FieldValues {
  assert.equal(draft.kind, 'valid', JSON.stringify(draft));
  return draft.kind === 'valid' ? draft.values : {};
}

function errorFields(draft: Draft): readonly string[] {
  if (draft.kind === 'valid') return [];
  const details = draft.kind === 'invalid' ? draft.details : draft.error.details;
  return details.map(({ field }) => field).toSorted();
}

/** The draft of a change to a row. */
function drafted<T>(draft: (of: DraftRule, body: T, current: Row) => Steps<Draft>, body: T, current: Row): Draft {
  const steps = draft(rule, body, current);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('createDraft', () => {
  it('[REP-4] has every field: absent members get their default, null is unset', () => {
    const unset = { sku: null, part: null, map: null, list: [], secret: null, owner: null };
    assert.deepEqual(selectValues(createDraft(rule, { name: 'n' }, [])), {
      name: 'n',
      size: 1,
      phase: 'NEW',
      ...unset,
    });
    assert.equal(selectValues(createDraft(rule, { name: 'n', size: null }, []))['size'], null);
    const { part } = selectValues(createDraft(rule, { name: 'n', part: { b: null } }, []));
    assert.deepEqual(part, { a: 'x', b: null });
  });

  it('[REP-1] has its fields in declared order, whatever order they are sent in', () => {
    const values = selectValues(createDraft(rule, { list: [], size: 2, name: 'n' }, []));
    assert.deepEqual(Object.keys(values), Object.keys(FIELDS));
  });

  it('[REP-6] ignores members that the server sets, whatever their values', () => {
    const made = { created_at: 1, updated_at: [], revision: 'x', links: null, owner: {} };
    assert.deepEqual(selectValues(createDraft(rule, { name: 'n', ...made }, []))['owner'], null);
  });

  const ids: readonly (readonly [of: Compiled, body: JsonObject, id: string | null])[] = [
    [items, { name: 'n' }, null],
    [items, { name: 'n', id: null }, null],
    [items, { name: 'n', id: 'mine' }, 'invalid'],
    [items, { name: 'n', id: 7 }, 'invalid'],
    [noted, { id: 'mine' }, 'mine'],
    [noted, { id: 'Mine' }, 'invalid'],
    [noted, { id: '' }, 'invalid'],
    [noted, { id: 7 }, 'invalid'],
    [noted, { id: null }, 'invalid'],
    [noted, {}, 'invalid'],
  ];
  for (const [of, body, made] of ids) {
    it(`[REP-2] of a collection with ids of the ${of.resource.id.kind}, from ${JSON.stringify(body)}: ${made}`, () => {
      const draft = createDraft(draftRule(of), body, []);
      if (made === 'invalid') assert.deepEqual(errorFields(draft), ['id']);
      else assert.equal(draft.kind === 'valid' ? draft.id : 'none', made);
    });
  }

  it('[ERR-3] reports all errors together, with that of the id', () => {
    assert.deepEqual(errorFields(createDraft(rule, { id: 'x', size: '1', colour: 1, part: { c: 1 } }, [])), [
      'colour',
      'id',
      'name',
      'part.c',
      'size',
    ]);
  });

  it('[REP-5] drops unknown members of a lenient request, at any depth', () => {
    const draft = createDraft(draftRule(items, true), { name: 'n', colour: 1, part: { c: 1, b: 'y' } }, []);
    assert.deepEqual(selectValues(draft)['part'], { a: 'x', b: 'y' });
  });

  it('[MET-11] is in the initial state: another state is a conflict, an unknown one a validation error', () => {
    assert.equal(createDraft(rule, { name: 'n', phase: 'OPEN' }, []).kind, 'conflict');
    assert.equal(createDraft(rule, { name: 'n', phase: 'CLOSED' }, []).kind, 'invalid');
    assert.equal(
      createDraft(rule, { phase: 'OPEN' }, []).kind,
      'invalid',
      'a validation error takes precedence over a conflict',
    );
  });
});

describe('replaceDraft', () => {
  it('[MET-2] sets absent fields to their default or null, and keeps read-only and write-only ones', () => {
    const values = selectValues(drafted(replaceDraft, { name: 'm' }, CURRENT));
    const kept = { sku: 's', phase: 'NEW', secret: 'hush', owner: 'me' };
    assert.deepEqual(values, { name: 'm', size: 1, part: null, map: null, list: [], ...kept });
  });

  it('[MET-7] with the representation of GET changes nothing', () => {
    const values = selectValues(drafted(replaceDraft, { ...SHOWN, links: { self: '/x' } }, CURRENT));
    assert.deepEqual(changedFields(items.resource, values, CURRENT), []);
  });

  const invalid: readonly (readonly [body: Json, fields: readonly string[]])[] = [
    [{}, ['name']],
    [{ name: 'm', sku: 'other' }, ['sku']],
    [{ name: 'm', sku: null }, ['sku']],
    [{ name: 'm', id: 'other' }, ['id']],
    [{ name: 'm', id: null }, ['id']],
    [{ name: 'm', revision: '7' }, ['revision']],
    [{ name: '', sku: 'other', id: 'other', colour: 1 }, ['colour', 'id', 'name', 'sku']],
    [[], ['body']],
    ['x', ['body']],
  ];
  for (const [body, fields] of invalid) {
    it(`[REP-6] [ERR-3] reports every error: ${JSON.stringify(body)}`, () => {
      assert.deepEqual(errorFields(drafted(replaceDraft, body, CURRENT)), fields);
    });
  }

  it('[REP-6] accepts the current value of an immutable field, and reports an invalid one once', () => {
    assert.deepEqual(errorFields(drafted(replaceDraft, { name: 'm', sku: 's' }, CURRENT)), []);
    assert.deepEqual(errorFields(drafted(replaceDraft, { name: 'm', sku: 7 }, CURRENT)), ['sku']);
  });
});

describe('mergeDraft', () => {
  const rows: readonly (readonly [patch: JsonObject, changed: JsonObject])[] = [
    [{}, {}],
    [{ name: 'm' }, { name: 'm' }],
    [{ size: null }, { size: null }],
    [{ part: { a: null } }, { part: { a: null, b: 'q' } }],
    [{ part: { a: 'z' } }, { part: { a: 'z', b: 'q' } }],
    [{ part: null }, { part: null }],
    [{ map: { k: null, l: 'w' } }, { map: { l: 'w' } }],
    [{ list: null }, { list: [] }],
    [{ list: ['m', 'n'] }, { list: ['m', 'n'] }],
    [{ secret: null }, { secret: null }],
    [{ phase: 'OPEN' }, { phase: 'OPEN' }],
    [{ owner: 'you', created_at: null, revision: 7, id: 'r' }, {}],
  ];
  for (const [patch, changed] of rows) {
    it(`[MET-3] of ${JSON.stringify(patch)} changes ${Object.keys(changed).join(', ') || 'nothing'}`, () => {
      const values = selectValues(drafted(mergeDraft, patch, CURRENT));
      assert.deepEqual(values, { ...FIELDS, ...changed });
      assert.deepEqual(changedFields(items.resource, values, CURRENT), Object.keys(changed));
    });
  }

  it('[REP-4] creates a missing object with its defaults', () => {
    const values = selectValues(drafted(mergeDraft, { part: { b: 'y' } }, { ...CURRENT, part: null }));
    assert.deepEqual(values['part'], { a: 'x', b: 'y' });
  });

  it('[MET-3] is idempotent: merging its result again changes nothing', () => {
    const text = fc.option(fc.string({ minLength: 1, maxLength: 3 }));
    const patch = fc.record(
      {
        name: fc.string({ minLength: 1, maxLength: 3 }),
        size: fc.option(fc.integer()),
        part: fc.option(fc.record({ a: text, b: text }, { requiredKeys: [] })),
        map: fc.option(fc.dictionary(fc.constantFrom('k', 'l'), text)),
        list: fc.option(fc.array(fc.constantFrom('a', 'b'))),
        secret: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(patch, (given) => {
        const once = selectValues(drafted(mergeDraft, given, CURRENT));
        const then = { ...CURRENT, ...once };
        assert.deepEqual(selectValues(drafted(mergeDraft, given, then)), once);
        assert.deepEqual(selectValues(drafted(mergeDraft, {}, then)), once);
      }),
    );
  });
});

/** A patch that replaces the document. */
const patchWhole = (own: DraftRule, document: Json, current: Row): ReturnType<typeof patchDraft> =>
  patchDraft(own, { document, removed: new Map() }, current);

describe('patchDraft', () => {
  it('[MET-3] keeps absent write-only fields, and sets those in the patch', () => {
    assert.deepEqual(selectValues(drafted(patchWhole, SHOWN, CURRENT)), FIELDS);
    assert.deepEqual(selectValues(drafted(patchWhole, { ...SHOWN, secret: null }, CURRENT)), {
      ...FIELDS,
      secret: null,
    });
  });

  it('[REP-4] unsets removed members, without their defaults', () => {
    const { size, part, list, ...rest } = SHOWN as JsonObject;
    assert.deepEqual([typeof size, typeof part, typeof list], ['number', 'object', 'object']);
    const values = selectValues(drafted(patchWhole, { ...rest, part: { b: 'q' } }, CURRENT));
    assert.deepEqual([values['size'], values['part'], values['list']], [null, { a: null, b: 'q' }, []]);
  });

  for (const name of ['id', 'created_at', 'updated_at', 'revision', 'owner', 'links']) {
    it(`[MET-3] must not change read-only members: ${name}`, () => {
      assert.deepEqual(errorFields(drafted(patchWhole, { ...SHOWN, [name]: 'other' }, CURRENT)), [name]);
      assert.equal(isReadOnlyMember(items.resource, name), true);
      if (name === 'links') return;
      const left = Object.fromEntries(Object.entries(SHOWN).filter(([member]) => member !== name));
      assert.deepEqual(errorFields(drafted(patchWhole, left, CURRENT)), [name]);
    });
  }

  it('[MET-3] must be an object', () => {
    for (const document of [7, null, [], 'x'])
      assert.deepEqual(errorFields(drafted(patchWhole, document, CURRENT)), ['body']);
  });
});

describe('a body', () => {
  const revisions: readonly (readonly [body: Json, revision: number | null])[] = [
    [{ revision: 7 }, 7],
    [{ revision: 1.5 }, 1.5],
    [{ revision: '7' }, null],
    [{ revision: null }, null],
    [{}, null],
    [[], null],
    [null, null],
  ];
  for (const [body, found] of revisions) {
    it(`[REP-6] may contain the expected revision: ${JSON.stringify(body)}`, () => {
      assert.equal(bodyRevision(body), found);
    });
  }

  it('[REP-11a] [ERR-4] is never quoted in errors', () => {
    const draft = createDraft(
      rule,
      { name: 7, secret: 8, size: 'hush-hush', part: 'hush-hush', colour: 'hush-hush' },
      [],
    );
    assert.doesNotMatch(JSON.stringify(draft.kind === 'invalid' ? draft.details : null), /hush/);
  });

  it('[MET-7] is unchanged by another order of members or another notation of numbers and times', () => {
    const values = { ...FIELDS, map: { b: '1', a: '2' } };
    assert.deepEqual(changedFields(items.resource, values, { ...CURRENT, map: { a: '2', b: '1' } }), []);
    assert.deepEqual([id, revision, created_at === updated_at, secret], ['r', 7, true, 'hush']);
  });
});
