import type { ForeignChange, RecordedChange } from '../foreign-change.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { CreatePlan, Row, UpdatePlan, WritePlan } from '../plan.ts';
import { createPlan, deletePlan, updatePlan, type WriteAuthor } from './write-plan.ts';

/** Finds the author of the changes of a transaction. @param at the time of a change */
export type FindAuthor = (transaction: string, at: string) => WriteAuthor;

/**
 * Makes the plans of recorded changes, with their events. Those of one row are in the order in which its states follow
 * from each other. A row that one transaction deletes and inserts again, such as one that moves to another partition,
 * is updated.
 */
export function planForeignChanges(
  { resources }: Pick<Model, 'resources'>,
  changes: readonly RecordedChange[],
  findAuthor: FindAuthor,
): readonly WritePlan[] {
  return joinMoves(orderStates(withoutRepeated(changes))).flatMap((change) => {
    if (change.kind === 'planned') return [change.plan];
    const resource = resources.get(change.resource);
    return resource === undefined ? [] : planChange(findAuthor(change.transaction, change.at), resource, change);
  });
}

/** The plans of one change: a row that gets another key is deleted, and created. */
function planChange(author: WriteAuthor, resource: Resource, change: ForeignChange): readonly WritePlan[] {
  const { before, after } = change;
  if (before !== null && after !== null && before.id === after.id) {
    const plan = updatePlan(author, { resource, within: [], row: before }, after);
    return plan === null ? [] : [settled(plan, after)];
  }
  return [
    ...(before === null ? [] : [{ ...deletePlan(author, { resource, within: [], row: before }), written: 0 }]),
    ...(after === null ? [] : [settled(createPlan(author, { resource, within: [], id: after.id }, after), after)]),
  ];
}

function settled(plan: CreatePlan | UpdatePlan, row: Row): WritePlan {
  return { ...plan, ...plan.settle?.(row), written: row.revision };
}

/** Identifies a row within one transaction. */
function rowKey(change: RecordedChange): string {
  const { transaction } = change;
  if (change.kind === 'planned') return JSON.stringify([transaction, change.plan.resource, change.plan.id]);
  return JSON.stringify([transaction, change.resource, (change.before ?? change.after)?.id]);
}

/** Leaves out what triggers of a table have changed in a row that the server wrote: its event has the result. */
function withoutRepeated(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const planned = new Set(changes.filter(({ kind }) => kind === 'planned').map(rowKey));
  return changes.filter((change) => change.kind === 'planned' || !planned.has(rowKey(change)));
}

/**
 * Orders the changes of one transaction to one row by their states. A trigger of the table that changes a row again
 * has recorded its change before the one that it followed.
 */
function orderStates(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const groups = Map.groupBy(
    changes.filter((change) => change.kind === 'foreign'),
    rowKey,
  );
  const ordered = new Map([...groups].map(([key, group]) => [key, followStates(group)[Symbol.iterator]()]));
  return changes.map((change) =>
    change.kind === 'planned' ? change : (ordered.get(rowKey(change))?.next().value ?? change),
  );
}

function followStates(group: readonly ForeignChange[]): readonly ForeignChange[] {
  if (group.length === 1) return group;
  const rest = group.map((change) => {
    return { change, before: JSON.stringify(change.before), after: JSON.stringify(change.after) };
  });
  const start = rest.findIndex(({ before }, at) => !rest.some(({ after }, other) => other !== at && after === before));
  const ordered = rest.splice(Math.max(start, 0), 1);
  while (rest.length > 0) {
    const next = rest.findIndex(({ before }) => before === ordered.at(-1)?.after);
    ordered.push(...rest.splice(Math.max(next, 0), 1));
  }
  return ordered.map(({ change }) => change);
}

function joinMoves(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const joined: (RecordedChange | null)[] = [];
  const deleted = new Map<string, number>();
  for (const change of changes) {
    const key = change.kind === 'foreign' ? rowKey(change) : '';
    const at = deleted.get(key);
    if (change.kind !== 'foreign') joined.push(change);
    else if (change.after === null) deleted.set(key, joined.push(change) - 1);
    else if (change.before !== null || at === undefined) joined.push(change);
    else {
      const before = joined[at];
      joined[at] = null;
      deleted.delete(key);
      joined.push(before?.kind === 'foreign' ? { ...change, before: before.before } : change);
    }
  }
  return joined.filter((change) => change !== null);
}
