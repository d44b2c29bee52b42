import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { EVERYTHING, type Condition, type ListPlan } from '../../../../src/plan/plan.ts';
import { itemStatement, listStatement } from '../../../../src/stores/sql/read/read-statements.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { itemPlan, listPlan } from '../../../../store-suite/sample-writes.ts';
import { WEBHOOK_MODEL } from '../../webhook-rows.ts';
import { queryPlan } from './query-plan.ts';

const { model } = loadModel({ file: 'model.yaml', text: WEBHOOK_MODEL, env: {} });
const tables = new Tables(model, sqlite);
const ID = '01a19467-e807-7001-8000-000000000001';
const AT = '2026-11-01T00:00:00.000Z';

const within = [{ resource: 'webhooks', id: ID, visible: EVERYTHING }];
const is = (path: string, value: string): Condition => ({ path, operator: 'in', values: [value] });
const seek = (...after: readonly string[]): ListPlan['window'] => ({ kind: 'seek', after, backward: false, limit: 20 });
const first: ListPlan['window'] = { kind: 'seek', after: null, backward: false, limit: 100 };
const by = (descending: boolean, ...paths: readonly string[]): ListPlan['order'] =>
  paths.map((path) => ({ path, descending }));

/** The reads of deliveries, and the steps of their query plans. */
const READS: readonly { readonly title: string; readonly plan: Partial<ListPlan>; readonly step: RegExp }[] = [
  {
    title: 'a page of a webhook, the newest first',
    plan: { within, order: by(true, 'created_at', 'id'), window: seek(AT, ID) },
    step: /\(webhook_id, created_at desc, id desc\) \(webhook_id=\?/,
  },
  {
    title: 'the delivery of an event to a webhook',
    plan: { within, filter: [is('event_id', ID)], order: by(true, 'id'), window: first },
    step: /\(event_id, id\) \(event_id=\?\)/,
  },
  {
    title: 'old deliveries with a status',
    plan: {
      filter: [is('status', 'succeeded'), { path: 'created_at', operator: 'lt', value: AT }],
      order: by(false, 'created_at', 'id'),
      window: first,
    },
    step: /\(status, created_at, id\) \(status=\? AND created_at<\?\)/,
  },
];

describe('the query plans of stored deliveries on SQLite', () => {
  for (const { title, plan, step } of READS) {
    it(`[PAGE-10] use an index: ${title}`, (context) => {
      const steps = queryPlan(
        context,
        listStatement(tables, listPlan({ resource: 'webhook_deliveries', ...plan })),
        model,
      );
      assert.ok(
        steps.some((each) => step.test(each)),
        steps.join('\n'),
      );
      assert.ok(!steps.some((each) => /TEMP B-TREE|^SCAN/.test(each)), steps.join('\n'));
    });
  }

  it('[PAGE-10] use the key: a delivery by its id', (context) => {
    const steps = queryPlan(context, itemStatement(tables, itemPlan('webhook_deliveries', ID)), model);
    assert.match(steps.join(), /SEARCH webhook_deliveries USING INDEX sqlite_autoindex_webhook_deliveries_1 \(id=\?\)/);
  });
});
