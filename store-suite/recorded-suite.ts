import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '../src/conventions/json/json.ts';
import type { ValueType } from '../src/model/model.ts';
import type { CreatePlan, DeletePlan, FieldValues, UpdatePlan, WritePlan } from '../src/plan/plan.ts';
import { type ReferenceKeys, type RelatedFields, relatedMember } from '../src/plan/related-values.ts';
import { compileComparison } from '../src/plan/value-order.ts';
import { EVERYTHING, visibilityWhere } from '../src/plan/visibility.ts';
import type { Store } from '../src/stores/store.ts';
import type { OpenStore } from './open-store.ts';
import { field, model, refersTo, resource } from './sample-model.ts';
import { commit, create, itemPlan, remove, update } from './sample-writes.ts';

const TEXT: ValueType = { kind: 'text', format: null };
/** A field of each type that policies compare, with the values at its edges. */
const TYPES: Readonly<Record<string, { readonly type: ValueType; readonly values: readonly Json[] }>> = {
  text: { type: TEXT, values: ['', 'a"b\\c', "it's", 'ü \u{1f600} \u007f\n\t', ',"x":'] },
  integer: { type: { kind: 'integer' }, values: [0, -1, Number.MAX_SAFE_INTEGER] },
  number: { type: { kind: 'number' }, values: [0.1, 0.1 + 0.2, -1e300, 5e-324, 123_456_789.123_456_79] },
  boolean: { type: { kind: 'boolean' }, values: [true, false] },
  time: {
    type: { kind: 'date-time' },
    values: [
      '0000-01-01T00:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '2026-02-28T23:59:59.001Z',
      '9999-12-31T23:59:59.999Z',
    ],
  },
  scaled: {
    type: { kind: 'decimal', precision: 9, scale: 2 },
    values: ['0.00', '-0.05', '1234567.89', '-1234567.89'],
  },
  decimal: {
    type: { kind: 'decimal', precision: null, scale: null },
    values: ['0', '-0.000000000000000000001', '123456789012345678901234567890.5'],
  },
  wide: { type: { kind: 'int64' }, values: ['9223372036854775807', '-9223372036854775808', '0'] },
  list: {
    type: { kind: 'array', item: { type: TEXT, nullable: false } },
    values: [[], ['a', 'b"c'], ['$caller', ',']],
  },
  place: {
    type: { kind: 'object', members: [{ name: 'city', type: TEXT, nullable: true, required: false }] },
    values: [{ city: 'Oslo' }, { city: null }],
  },
};

const MODEL = model([
  resource({ name: 'samples', fields: Object.entries(TYPES).map(([name, { type }]) => field(name, type)) }),
  resource({ name: 'teams', fields: [field('owner', TEXT)] }),
  resource({
    name: 'projects',
    fields: [
      field('owner', TEXT),
      field('team_id', TEXT, { reference: refersTo('teams') }),
      field('twin_id', TEXT, { reference: refersTo('projects') }),
    ],
  }),
  resource({
    name: 'notes',
    tombstones: 1_000,
    fields: [
      field('text', TEXT),
      field('sample_id', TEXT, { reference: refersTo('samples') }),
      field('project_id', TEXT, { reference: refersTo('projects') }),
    ],
  }),
]);

const OF_TEAM: RelatedFields = { field: 'team_id', resource: 'teams', fields: ['owner'], related: [] };
const OF_PROJECT: RelatedFields = { field: 'project_id', resource: 'projects', fields: ['owner'], related: [OF_TEAM] };
const OF_TWIN: RelatedFields = { field: 'twin_id', resource: 'projects', fields: ['owner'], related: [] };
const OF_SAMPLE: RelatedFields = {
  field: 'sample_id',
  resource: 'samples',
  fields: [...Object.keys(TYPES), 'created_at'],
  related: [],
};

/** A plan whose event has nothing of the row itself, but what is recorded of related rows. */
function recording<P extends CreatePlan | UpdatePlan | DeletePlan>(
  plan: P,
  related: readonly RelatedFields[],
  keys: { readonly before?: ReferenceKeys; readonly after?: ReferenceKeys },
): P {
  const { before = null, after = null } = keys;
  const { event } = plan;
  assert.ok(event !== null);
  const access = {
    writer: { issuer: null, subject: null, client: null },
    before: before === null ? null : { own: 'b' },
    after: after === null ? null : { own: 'a' },
  };
  return { ...plan, event: { ...event, access }, related: { related, before, after } };
}

/** Commits plans and returns what the log recorded with the events: before and after. */
async function recorded(
  store: Store,
  ...plans: readonly WritePlan[]
): Promise<readonly (readonly [FieldValues | null, FieldValues | null])[]> {
  const last = await store.events.lastSequence();
  await commit(store, ...plans);
  const logged = await store.events.list({ after: last, limit: 100 });
  return logged.map(({ access }) => [access?.before ?? null, access?.after ?? null]);
}

/** Commits a plan and returns what was recorded of the row that a reference leads to after it. */
async function recordedWith(store: Store, plan: WritePlan, reference: string): Promise<JsonObject> {
  const [[, after] = []] = await recorded(store, plan);
  const related = after?.[relatedMember(reference)] ?? null;
  assert.ok(isJsonObject(related));
  return related;
}

const project = (id: string, owner: string, values: FieldValues = {}): CreatePlan =>
  create('projects', id, { owner, team_id: null, twin_id: null, ...values });
const note = (id: string, values: FieldValues = {}): CreatePlan =>
  create('notes', id, { text: 'x', sample_id: null, project_id: null, ...values });

export function recordedSuite(name: string, open: OpenStore): void {
  describe(`${name}: what is recorded of related rows`, () => {
    it('[EVT-8d] has the values of every type, as rows have them', async () => {
      const store = await open(MODEL);
      const longest = Math.max(...Object.values(TYPES).map(({ values }) => values.length));
      for (let index = 0; index <= longest; index += 1) {
        const values = Object.fromEntries(
          Object.entries(TYPES).map(([key, { type, values: all }]) => [
            key,
            index === longest ? (type.kind === 'array' ? [] : null) : (all[index % all.length] ?? null),
          ]),
        );
        const [sample, id] = [`s${index}`, `n${index}`];
        await commit(store, create('samples', sample, values));
        const plan = recording(note(id, { sample_id: sample }), [OF_SAMPLE], { after: { sample_id: [sample] } });
        const { created_at: created, ...found } = await recordedWith(store, plan, 'sample_id');
        assert.equal(created, plan.at);
        assert.deepEqual(Object.keys(found), Object.keys(values));
        for (const [key, { type }] of Object.entries(TYPES)) {
          const [got = null, wanted = null] = [found[key], values[key]];
          const isEqual = type.kind === 'decimal' && got !== null && wanted !== null;
          // Decimals are compared by value: a store may know more digits than it shows.
          if (isEqual) assert.equal(compileComparison(type)(got, wanted), 0, JSON.stringify([got, wanted]));
          else assert.deepEqual(got, wanted, key);
        }
      }
      await store.close();
    });

    it('[EVT-8d] is what holds at the write, through several references, with what the unit has done before', async () => {
      const store = await open(MODEL);
      const [revision = 0] = await commit(store, create('teams', 't', { owner: 'ann' }));
      await commit(store, project('p', 'bob', { team_id: 't' }));
      const change = recording(note('a', { project_id: 'p' }), [OF_PROJECT], { after: { project_id: ['p'] } });
      const [, found] = await recorded(store, { ...update('teams', 't', revision, { owner: 'eve' }) }, change, {
        ...update('teams', 't', 0, { owner: 'zoe' }),
        revision: { plan: 0 },
      });
      const member = { [relatedMember('team_id')]: { owner: 'eve' } };
      assert.deepEqual(found, [null, { own: 'a', [relatedMember('project_id')]: { owner: 'bob', ...member } }]);
      await store.close();
    });

    it('[EVT-8d] differs before and after where a reference changes; an unset one is null, and of a missing row nothing is known', async () => {
      const store = await open(MODEL);
      await commit(store, project('p', 'ann'), project('q', 'bob'));
      const [revision = 0] = await commit(store, note('a', { project_id: 'p' }));
      const [moved] = await recorded(
        store,
        recording(update('notes', 'a', revision, { project_id: 'q' }), [OF_PROJECT], {
          before: { project_id: ['p'] },
          after: { project_id: ['q'] },
        }),
      );
      const unset = { [relatedMember('team_id')]: null };
      assert.deepEqual(moved, [
        { own: 'b', [relatedMember('project_id')]: { owner: 'ann', ...unset } },
        { own: 'a', [relatedMember('project_id')]: { owner: 'bob', ...unset } },
      ]);
      const [cleared] = await recorded(
        store,
        recording(note('b'), [OF_PROJECT, OF_SAMPLE], { after: { project_id: null, sample_id: ['none'] } }),
      );
      assert.deepEqual(cleared, [null, { own: 'a', [relatedMember('project_id')]: null }]);
      await store.close();
    });

    it('[EVT-8d] is of a row that refers to itself what it was before, and is after the write', async () => {
      const store = await open(MODEL);
      const self = { twin_id: ['p'] };
      const [made] = await recorded(
        store,
        recording(project('p', 'ann', { twin_id: 'p' }), [OF_TWIN], { after: self }),
      );
      const twin = (owner: string): FieldValues => ({ [relatedMember('twin_id')]: { owner } });
      assert.deepEqual(made, [null, { own: 'a', ...twin('ann') }]);
      const { revision = 0 } = (await store.rows.item(itemPlan('projects', 'p'))) ?? {};
      const change = recording(update('projects', 'p', revision, { owner: 'bob' }), [OF_TWIN], {
        before: self,
        after: self,
      });
      const later = recording({ ...remove('projects', 'p', 0), revision: { plan: 0 } }, [OF_TWIN], { before: self });
      assert.deepEqual(await recorded(store, change, later), [
        [
          { own: 'b', ...twin('ann') },
          { own: 'a', ...twin('bob') },
        ],
        [{ own: 'b', ...twin('bob') }, null],
      ]);
      await store.close();
    });

    it('[EVT-8d] is of rows that are deleted together what it was before the first of them', async () => {
      const store = await open(MODEL);
      const [, first = 0] = await commit(store, project('p', 'ann'), project('q', 'bob', { twin_id: 'p' }));
      const { revision = 0 } = (await store.rows.item(itemPlan('projects', 'p'))) ?? {};
      await commit(store, update('projects', 'p', revision, { twin_id: 'q' }));
      const second = (await store.rows.item(itemPlan('projects', 'p')))?.revision ?? 0;
      const detached = { ...update('projects', 'q', first, { twin_id: null }), kind: 'detach', event: null } as const;
      const found = await recorded(
        store,
        detached,
        recording(remove('projects', 'p', second), [OF_TWIN], { before: { twin_id: ['q'] } }),
        recording(remove('projects', 'q', first), [OF_TWIN], { before: { twin_id: ['p'] } }),
      );
      assert.deepEqual(found, [
        [{ own: 'b', [relatedMember('twin_id')]: { owner: 'bob' } }, null],
        [{ own: 'b', [relatedMember('twin_id')]: { owner: 'ann' } }, null],
      ]);
      await store.close();
    });

    it('[EVT-8d] has no value of more than 16 KiB', async () => {
      const store = await open(MODEL);
      await commit(store, project('p', 'a'.repeat(16_384)), project('q', 'ü'.repeat(8_193)));
      const owners: Json[] = [];
      for (const id of ['p', 'q']) {
        const plan = recording(note(id, { project_id: id }), [{ ...OF_PROJECT, related: [] }], {
          after: { project_id: [id] },
        });
        owners.push(await recordedWith(store, plan, 'project_id'));
      }
      assert.deepEqual(owners, [{ owner: 'a'.repeat(16_384) }, {}]);
      await store.close();
    });

    it('[MET-4b] decides with a tombstone who saw the row', async () => {
      const store = await open(MODEL);
      await commit(store, project('p', 'ann'));
      for (const values of [{}, { text: 'x' }]) {
        const [revision = 0] = await commit(store, note('a', { project_id: 'p' }));
        const tombstone = { values, expiresAt: Date.parse('2100-01-01') };
        const removal = recording(remove('notes', 'a', revision), [OF_PROJECT], { before: { project_id: ['p'] } });
        await commit(store, { ...removal, tombstone });
        const sees = async (owner: string): Promise<boolean> => {
          const relation = { resource: 'projects', field: 'project_id', inverse: false };
          const conditions = [{ path: 'owner', operator: 'in', values: [owner] }] as const;
          const visible = visibilityWhere([{ operator: 'related', relation, visible: EVERYTHING, conditions }]);
          return store.rows.wasVisible(itemPlan('notes', 'a', { visible }));
        };
        assert.deepEqual([await sees('ann'), await sees('bob')], [true, false]);
      }
      await store.close();
    });
  });
}
