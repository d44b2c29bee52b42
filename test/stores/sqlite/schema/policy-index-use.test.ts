import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../../src/conventions/json/json.ts';
import type { ListPlan, Visibility } from '../../../../src/plan/plan.ts';
import { Visibilities } from '../../../../src/plan/policy/visibilities.ts';
import { estimateEffort } from '../../../../src/plan/list/effort.ts';
import { itemStatement, listStatement } from '../../../../src/stores/sql/read/read-statements.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { AT, itemPlan, listPlan } from '../../../../store-suite/sample-writes.ts';
import { compilePolicies, withResources } from '../../../model/policies.ts';
import { queryPlan } from './query-plan.ts';

const { model } = compilePolicies(
  withResources(`  teams: { id: client, schema: { type: object, properties: { tenant: { type: string } } } }
  goods:
    access: { owner: owner_id }
    schema: { type: object, properties: { name: { type: string }, owner_id: { type: string, readOnly: true } } }
  notes:
    access: { rows: { read: { any: [{ tenant: $caller.claims.tenant }, { status: OPEN }] } } }
    schema: { type: object, properties: { tenant: { type: string }, status: { type: string } } }
  tasks:
    access: { rows: { read: { team.tenant: $caller.claims.tenant } } }
    schema: { type: object, properties: { team_id: { type: string, x-references: teams } } }
`),
);
const tables = new Tables(model, sqlite);
const order = ['created_at', 'id'].map((path) => ({ path, descending: false }));

/** The condition of the rows of a resource that a caller may see. */
function visibleTo(name: string, of: string, claims: JsonObject = { tenant: `tenant of ${name}` }): Visibility {
  const caller = { subject: name, owner: name, client: null, issuer: 'a', scopes: new Set<string>(), claims };
  return new Visibilities(model.resources, caller).own(of);
}

const page = (of: string, visible: Visibility, changes: Partial<ListPlan> = {}): ListPlan =>
  listPlan({
    resource: of,
    visible,
    order,
    window: { kind: 'seek', after: null, backward: false, limit: 20 },
    ...changes,
  });

describe('the statements of callers with policies', () => {
  it('[AUTH-5a] are the same for all of them: only their values differ', () => {
    for (const name of ['goods', 'notes', 'tasks']) {
      const [ann, bob] = [visibleTo('ann', name), visibleTo('bob', name)];
      const item = (visible: Visibility) => itemStatement(tables, itemPlan(name, 'x', { visible }));
      assert.equal(item(ann).text, item(bob).text);
      assert.notDeepEqual(item(ann).values, item(bob).values);
      assert.equal(listStatement(tables, page(name, ann)).text, listStatement(tables, page(name, bob)).text);
      assert.doesNotMatch(listStatement(tables, page(name, ann)).text, /tenant of|ann/);
    }
  });

  it('[AUTH-5a] [PAGE-10] read a page of an owner in an index, at any depth', (context) => {
    const visible = visibleTo('ann', 'goods');
    for (const after of [null, [AT, 'x']]) {
      const plan = page('goods', visible, { window: { kind: 'seek', after, backward: false, limit: 20 } });
      const steps = queryPlan(context, listStatement(tables, plan), model);
      assert.match(steps.join('\n'), /^SEARCH goods USING INDEX goods \(owner_id, created_at, id\) \(owner_id=\?/);
      assert.equal(steps.length, 1, steps.join('\n'));
    }
  });

  it('[AUTH-5a] find each alternative in an index of its own', (context) => {
    const statement = listStatement(tables, page('notes', visibleTo('ann', 'notes')));
    const steps = queryPlan(context, statement, model).join('\n');
    assert.match(steps, /SEARCH notes USING INDEX notes \(tenant, created_at, id\) \(tenant=\?\)/);
    assert.match(steps, /SEARCH notes USING INDEX notes \(status, created_at, id\) \(status=\?\)/);
  });

  it('[AUTH-5a] look the row that a reference leads to up by its id', (context) => {
    const visible = visibleTo('ann', 'tasks');
    const item = itemStatement(tables, itemPlan('tasks', 'x', { visible }));
    for (const statement of [item, listStatement(tables, page('tasks', visible))]) {
      const steps = queryPlan(context, statement, model).join('\n');
      assert.match(steps, /SEARCH related row (EXISTS )?USING INDEX .*\(id=\?\)/);
    }
  });

  it('[AUTH-5a] read no row where nothing is visible', () => {
    const visible = visibleTo('ann', 'tasks', {});
    assert.equal(visible.kind, 'nothing');
    assert.match(itemStatement(tables, itemPlan('tasks', 'x', { visible })).text, / and 1 = 0$/);
    assert.match(listStatement(tables, page('tasks', visible)).text, / where 1 = 0 order by /);
  });

  it('[QRY-3] [AUTH-5a] have the effort of their conditions', () => {
    const effort = (of: string, claims?: JsonObject) => {
      const resource = model.resources.get(of);
      assert.ok(resource !== undefined);
      const visible = visibleTo('ann', of, claims);
      return estimateEffort(resource, page(of, visible), visible);
    };
    assert.equal(effort('goods'), 'light');
    assert.equal(effort('notes'), 'unbounded');
    assert.equal(effort('notes', {}), 'light');
    assert.equal(effort('tasks'), 'unbounded');
    assert.equal(effort('tasks', {}), 'light');
  });
});
