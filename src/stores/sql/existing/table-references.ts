import type { WritePlan } from '../../../plan/plan.ts';
import type { Refusal } from '../../../plan/write-unit.ts';
import type { SqlRow, Statement } from '../dialect.ts';
import { missingOfBlock, missingReferenceBlocks, type ReferenceBlock } from '../read/missing-references.ts';
import { referredStatement } from '../read/related-statements.ts';
import type { Tables } from '../tables.ts';
import { referencesToOthers } from '../write/refusals.ts';
import type { WrittenReference } from '../write/write-statements.ts';
import { isOfTable } from './table-unit.ts';

/** A reference to a table of another program, or from one. No foreign key of ours guards it. */
interface UnguardedReference extends WrittenReference {
  /** The index of its plan. */
  readonly plan: number;
  /** True if it leads to the row above. One that is missing is 404. */
  readonly isParent: boolean;
}

/** The read of rows that refer to rows which a unit deletes. */
interface DependentProbe {
  /** The index of the first plan that deletes one. */
  readonly plan: number;
  readonly statement: Statement;
}

/** The statements that find broken references which no foreign key guards. */
interface ReferenceProbes {
  readonly written: readonly UnguardedReference[];
  readonly references: readonly ReferenceBlock<UnguardedReference>[];
  readonly dependents: readonly DependentProbe[];
}

/** Lists the references of plans that no foreign key guards, in the order of plans and fields. */
export function listUnguarded(tables: Tables, plans: readonly WritePlan[]): readonly UnguardedReference[] {
  return plans.flatMap((plan, index) => {
    if (plan.kind === 'delete') return [];
    const { parent } = tables.of(plan.resource).resource;
    return referencesToOthers(tables, plan)
      .filter(({ resource }) => isOfTable(tables, plan.resource) || isOfTable(tables, resource))
      .map((reference) => ({ ...reference, plan: index, isParent: reference.path === parent?.field }));
  });
}

/** The probes of a unit, to be run in its transaction once all of its rows are written. */
export function referenceProbes(tables: Tables, plans: readonly WritePlan[]): ReferenceProbes {
  const written = listUnguarded(tables, plans);
  return {
    written,
    references: missingReferenceBlocks(tables, written),
    dependents: dependentProbes(tables, plans),
  };
}

/** One probe for all deleted rows of a resource and each field that may refer to them. */
function dependentProbes(tables: Tables, plans: readonly WritePlan[]): readonly DependentProbe[] {
  const deleted = plans.flatMap((plan, index) => (plan.kind === 'delete' ? [{ plan, index }] : []));
  return [...Map.groupBy(deleted, ({ plan }) => plan.resource)].flatMap(([name, found]) => {
    const { dependents } = tables.of(name).resource;
    const unguarded = dependents.filter(({ resource }) => isOfTable(tables, name) || isOfTable(tables, resource));
    return unguarded.map(({ resource, field }) => {
      const owners = found.map(({ plan: { id, within } }) => ({ id, within }));
      return { plan: found[0]?.index ?? 0, statement: referredStatement(tables, { resource, field, owners }) };
    });
  });
}

/** The statements of all probes. */
export function listProbes({ references, dependents }: ReferenceProbes): readonly Statement[] {
  return [...references, ...dependents].map(({ statement }) => statement);
}

/**
 * Explains which plan leaves a reference to no row.
 *
 * @param read returns the rows of a statement
 * @returns null where none does
 */
export function explainProbes(
  { written, references, dependents }: ReferenceProbes,
  read: (statement: Statement) => readonly SqlRow[],
): Refusal | null {
  const found = new Set(references.flatMap((block) => missingOfBlock(block, read(block.statement))));
  const missing = written.filter((reference) => found.has(reference));
  const [first] = missing;
  if (first !== undefined)
    return refuseMissing(
      first.plan,
      missing.filter(({ plan }) => plan === first.plan),
    );
  const broken = dependents.find(({ statement }) => read(statement).length > 0);
  return broken === undefined ? null : { kind: 'dependents', plan: broken.plan };
}

/** The refusal of a plan whose references lead to no row. */
function refuseMissing(plan: number, missing: readonly UnguardedReference[]): Refusal {
  const above = missing.find(({ isParent }) => isParent);
  if (above !== undefined) return { kind: 'ancestor', plan, resource: above.resource, id: above.id };
  return { kind: 'reference', plan, fields: missing.map(({ path }) => path) };
}
