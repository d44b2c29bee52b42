import { EVERYTHING } from '../../../plan/plan.ts';
import { type Refusal, type RowPlan } from '../../../plan/write-unit.ts';
import type { Statement } from '../dialect.ts';
import { rowExistsStatement } from '../read/read-statements.ts';
import type { Tables } from '../tables.ts';
import { type ConflictProbe, conflictProbes, writtenReferences } from './write-statements.ts';

/** A reference that a plan writes, and the statement that reads a row where the row referred to exists. */
interface ReferenceProbe {
  /** Dotted path: `supplier_id`, `related_ids[2]`. */
  readonly path: string;
  readonly statement: Statement;
}

/** The statements that find out which constraint a plan violates, to be run in its transaction after it failed. */
interface ViolationProbes {
  readonly references: readonly ReferenceProbe[];
  readonly conflicts: readonly ConflictProbe[];
}

/** The probes of a plan that creates or updates a row. A reference of the row to itself is valid. */
export function violationProbes(tables: Tables, plan: RowPlan): ViolationProbes {
  const references = writtenReferences(tables, plan)
    .filter(({ resource, id }) => resource !== plan.resource || id !== plan.id)
    .map((reference) => ({
      path: reference.path,
      statement: rowExistsStatement(tables, { ...reference, visible: EVERYTHING }),
    }));
  return { references, conflicts: conflictProbes(tables, plan) };
}

/**
 * Explains why the database rejected a plan. References come before conflicts: a response with status 400 takes
 * precedence over one with 409.
 *
 * @param index of the plan in its unit
 * @param finds whether a statement reads a row
 * @returns null where no constraint of the model explains the violation
 */
export function explainViolation(
  { references, conflicts }: ViolationProbes,
  index: number,
  finds: (statement: Statement) => boolean,
): Refusal | null {
  const fields = references.filter(({ statement }) => !finds(statement)).map(({ path }) => path);
  if (fields.length > 0) return { kind: 'reference', plan: index, fields };
  const conflict = conflicts.find(({ statement }) => finds(statement));
  if (conflict === undefined) return null;
  if (conflict.fields === null) return { kind: 'exists', plan: index };
  return { kind: 'unique', plan: index, fields: conflict.fields };
}
