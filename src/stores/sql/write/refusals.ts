import { type Refusal, type RowPlan } from '../../../plan/write-unit.ts';
import type { SqlRow, Statement } from '../dialect.ts';
import { missingOfBlock, missingReferenceBlocks, type ReferenceBlock } from '../read/missing-references.ts';
import type { Tables } from '../tables.ts';
import { type ConflictProbe, conflictProbes, type WrittenReference, writtenReferences } from './write-statements.ts';

/** The statements that find out which constraint a plan violates, to be run in its transaction after it failed. */
interface ViolationProbes {
  /** The paths of all references, in the order of the fields. */
  readonly paths: readonly string[];
  readonly references: readonly ReferenceBlock<WrittenReference>[];
  readonly conflicts: readonly ConflictProbe[];
}

/** The probes of a plan that creates or updates a row. */
export function violationProbes(tables: Tables, plan: RowPlan): ViolationProbes {
  return {
    paths: referencesToOthers(tables, plan).map(({ path }) => path),
    references: missingReferenceBlocks(tables, referencesToOthers(tables, plan)),
    conflicts: conflictProbes(tables, plan),
  };
}

/** All references that a plan writes, but for those of the row to itself, which are valid. */
export function referencesToOthers(tables: Tables, plan: RowPlan): readonly WrittenReference[] {
  return writtenReferences(tables, plan).filter(({ resource, id }) => resource !== plan.resource || id !== plan.id);
}

/** The statements of all probes. */
export function probeStatements({ references, conflicts }: ViolationProbes): readonly Statement[] {
  return [...references, ...conflicts].map(({ statement }) => statement);
}

/**
 * Explains why the database rejected a plan. References come before conflicts: a response with status 400 takes
 * precedence over one with 409.
 *
 * @param index of the plan in its unit
 * @param read returns the rows of a statement
 * @returns null where no constraint of the model explains the violation
 */
export function explainViolation(
  { paths, references, conflicts }: ViolationProbes,
  index: number,
  read: (statement: Statement) => readonly SqlRow[],
): Refusal | null {
  const missing = new Set(
    references.flatMap((block) => missingOfBlock(block, read(block.statement)).map(({ path }) => path)),
  );
  if (missing.size > 0) return { kind: 'reference', plan: index, fields: paths.filter((path) => missing.has(path)) };
  const conflict = conflicts.find(({ statement }) => read(statement).length > 0);
  if (conflict === undefined) return null;
  if (conflict.fields === null) return { kind: 'exists', plan: index };
  return { kind: 'unique', plan: index, fields: conflict.fields };
}
