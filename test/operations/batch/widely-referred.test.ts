import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Condition,
  EVERYTHING,
  type ListPlan,
  type Page,
  type Row,
  type VisibleRelatedCondition,
} from '../../../src/plan/plan.ts';
import { StagedRows } from '../../../src/operations/staged/staged-rows.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import {
  commit,
  createProduct,
  createSupplier,
  itemPlan,
  listPlan,
  update,
} from '../../../store-suite/sample-writes.ts';
import { visibilityWhere } from '../../../src/plan/visibility.ts';
import type { RowReader, Store } from '../../../src/stores/store.ts';
import { openSample } from '../../stores/sqlite/open-sample.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../../pipeline/support/caller-tokens.ts';

const MODEL = `
name: desk
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
resources:
  teams:
    id: client
    schema:
      type: object
      properties: { tenant: { type: string }, up_id: { type: string, x-references: { resource: teams, as: above } } }
    access:
      read: authenticated
      write: authenticated
      rows: { read: { any: [{ tenant: $caller.claims.tenant }, { above.above.tenant: $caller.claims.tenant }] } }
  docs:
    id: client
    schema:
      type: object
      properties: { title: { type: string }, team_id: { type: string, x-references: { resource: teams, as: team } } }
    access: { read: authenticated, write: authenticated, rows: { read: { team.above.tenant: $caller.claims.tenant } } }
`;
const ANN = as({ subject: 'ann', claims: { tenant: 'acme' } });
const BOB = as({ subject: 'bob', claims: { tenant: 'byte' } });
const MANY = 10_002;

/** Teams below one, which belongs to Ann, and documents of the first of them. */
async function desk(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  const below = Array.from({ length: MANY }, (_, index) => ({ id: `t${index}`, tenant: 'acme', up_id: 'top' }));
  await api.api.importRows('teams', [{ id: 'top', tenant: 'acme' }, ...below]);
  await api.api.importRows(
    'docs',
    Array.from({ length: MANY }, (_, index) => ({ id: `d${index}`, team_id: 't0' })),
  );
  await api.newEvents();
  return api;
}

describe('a row that more than 10,000 others refer to', () => {
  let api: ApiUnderTest;
  before(async () => {
    api = await desk();
  });
  after(() => api.close());

  it('[AUTH-5c] is changed under a policy through the reference, one way or the other', async () => {
    const send = 'PATCH /api/v1/teams/top';
    const forbidden = { status: 403, has: { errorCode: 'TEAM_FORBIDDEN' } };
    await api.row({ send: 'PATCH /api/v1/teams/t0', headers: ANN, body: { tenant: 'byte' }, ...forbidden });
    await api.row({ send, headers: ANN, body: { up_id: 't1' }, status: 200, events: ['team.updated'] });
    await api.row({ send, headers: BOB, body: { up_id: null }, status: 404 });
    await api.row({ send, headers: ANN, body: { tenant: 'byte' }, ...forbidden });
    await api.row({ send, headers: ANN, body: { tenant: 'byte', up_id: null }, ...forbidden });
  });

  it('[MET-13] is changed in an atomic batch, whose later operations see it so', async () => {
    await api.row({
      send: 'PATCH /api/v1/teams/top',
      headers: ANN,
      body: { up_id: null },
      status: 200,
      events: ['team.updated'],
    });
    const operations = [
      { method: 'PATCH', path: '/teams/top', body: { up_id: 't1' } },
      { method: 'PATCH', path: '/teams/t0', body: { up_id: 't2' } },
      { method: 'PATCH', path: '/docs/d1', body: { title: 'x' } },
    ];
    await api.row({
      send: 'POST /api/v1/batches',
      headers: ANN,
      body: { operations },
      status: 201,
      events: ['team.updated', 'team.updated', 'doc.updated'],
    });
    const hidden = [
      { method: 'PATCH', path: '/teams/t2', body: { up_id: 't1' } },
      { method: 'PATCH', path: '/teams/t0', body: { up_id: null } },
      { method: 'PATCH', path: '/docs/d1', body: { title: 'y' } },
    ];
    await api.row({ send: 'POST /api/v1/batches', headers: ANN, body: { operations: hidden }, status: 404 });
  });
});

/** Products of a supplier with a name. */
const suppliedBy = (name: string): VisibleRelatedCondition => ({
  operator: 'related',
  relation: { resource: 'suppliers', field: 'supplier_id', inverse: false },
  visible: EVERYTHING,
  conditions: [{ path: 'name', operator: 'in', values: [name] }],
});

/** The rows of a unit that renames the supplier of all products, and what is read of the stored products for them. */
interface Renamed {
  readonly staged: StagedRows;
  readonly read: Row[];
}

async function whileRenamed(count: number, use: (renamed: Renamed) => Promise<void>, city = ''): Promise<void> {
  const model = sampleModel();
  const store = await openSample({}, model);
  try {
    await commit(store, createSupplier('s0'));
    const address = { city, floor: null, fee: null, since: null, number: null };
    const made = Array.from({ length: count }, (_, index) =>
      createProduct(`p${index}`, { supplier_id: 's0', name: `p${index}`, address }),
    );
    await commit(store, ...made);
    const read: Row[] = [];
    const list = async (plan: ListPlan): Promise<Page> => {
      const page = await store.rows.list(plan);
      if (plan.resource === 'products') read.push(...page.rows);
      return page;
    };
    const staged = new StagedRows({ rows: { ...pickReader(store), list }, stamps: store.stamps }, model);
    const revision = (await store.rows.item(itemPlan('suppliers', 's0')))?.revision ?? 0;
    await staged.stage([update('suppliers', 's0', revision, { name: 'renamed' })]);
    await use({ staged, read });
  } finally {
    await store.close();
  }
}

function products(...filter: readonly Condition[]): ListPlan {
  const window = { kind: 'seek', after: null, backward: false, limit: 20 } as const;
  return listPlan({ resource: 'products', filter, window, count: { kind: 'none' } });
}

function pickReader({ rows }: Store): RowReader {
  return {
    item: (plan) => rows.item(plan),
    wasVisible: (plan) => rows.wasVisible(plan),
    list: (plan) => rows.list(plan),
    lookup: (plan) => rows.lookup(plan),
    related: (plan) => rows.related(plan),
    missingAncestor: (within) => rows.missingAncestor(within),
    missingReferences: (references) => rows.missingReferences(references),
  };
}

describe('a read of rows whose related rows a unit changes', () => {
  it('[MET-13] reads one row alone, whatever else refers to what the unit changes', async () => {
    await whileRenamed(200, async ({ staged, read }) => {
      const seen = (id: string, name: string): Promise<Row | null> =>
        staged.item(itemPlan('products', id, { visible: visibilityWhere([suppliedBy(name)]) }));
      assert.equal((await seen('p7', 'renamed'))?.id, 'p7');
      assert.equal(await seen('p8', 's0'), null);
      assert.deepEqual([...new Set(read.map(({ id }) => id))].sort(), ['p7', 'p8']);
    });
  });

  it('[MET-13] reads those alone that fulfill the conditions on their own fields', async () => {
    await whileRenamed(200, async ({ staged, read }) => {
      const { rows } = await staged.list(
        products(suppliedBy('renamed'), { path: 'id', operator: 'starts_with', value: 'p19' }),
      );
      assert.equal(rows.length, 11);
      assert.equal(new Set(read.map(({ id }) => id)).size, 11);
    });
  });

  const refusal = { name: 'ApiError', status: 413, code: 'REQUEST_BODY_TOO_LARGE' };

  it('[MET-13] is refused with a reason where more than 10,000 rows would have to be judged', async () => {
    await whileRenamed(10_001, async ({ staged }) => {
      const read = staged.list(products(suppliedBy('renamed')));
      await assert.rejects(async () => read, { ...refusal, message: /10,000 products/ });
    });
  });

  it('[MET-13] is refused with a reason where these rows have more than 64 MiB', async () => {
    const use = async ({ staged }: Renamed): Promise<void> => {
      const read = staged.list(products(suppliedBy('renamed')));
      await assert.rejects(async () => read, { ...refusal, message: /64 MiB/ });
    };
    await whileRenamed(70, use, 'x'.repeat(1_000_000));
  });
});
