import type { Ancestor, Refusal, RowPlan } from '../../../plan/plan.ts';
import type { Statement } from '../dialect.ts';
import { rowExistsStatement } from '../read/read-statements.ts';
import type { Tables } from '../tables.ts';
import { conflictProbes, writtenReferences } from './write-statements.ts';

/** Whether a statement reads a row. */
export type Finds = (statement: Statement) => boolean;

/** The references that a plan writes and that refer to nothing. A row that the plan itself adds is there for it. */
function danglingReferences(tables: Tables, plan: RowPlan, finds: Finds): string[] {
  return writtenReferences(tables, plan)
    .filter(({ resource, id }) => resource !== plan.resource || id !== plan.id)
    .filter(({ resource, id }) => !finds(rowExistsStatement(tables, resource, id)))
    .map(({ path }) => path);
}

/**
 * Why the database would not take a create or an update: asked inside its transaction, after the statement failed. References come
 * before conflicts, for 400 ranks before 409.
 *
 * @param index the plan's place in its unit
 * @returns null where no constraint of the model explains the failure
 */
export function explainViolation(tables: Tables, plan: RowPlan, index: number, finds: Finds): Refusal | null {
  const fields = danglingReferences(tables, plan, finds);
  if (fields.length > 0) return { kind: 'reference', plan: index, fields };
  const conflict = conflictProbes(tables, plan).find(({ statement }) => finds(statement));
  if (conflict === undefined) return null;
  if (conflict.fields === null) return { kind: 'exists', plan: index };
  return { kind: 'unique', plan: index, fields: conflict.fields };
}

/**
 * The outermost ancestor that does not stand.
 *
 * @param within nearest first
 * @param stands whether each of them stands below the one above it, in the same order
 */
export function outermostMissing(within: readonly Ancestor[], stands: (index: number) => boolean): Ancestor | null {
  return within.findLast((_, index) => !stands(index)) ?? null;
}
