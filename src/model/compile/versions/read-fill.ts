import type { JsonObject } from '../../../conventions/json/json.ts';
import type { Resource } from '../../model.ts';
import { needsValue } from '../../needs-value.ts';
import { readObject } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { storedForm } from '../../values/stored-form.ts';
import { valueCheck } from '../fields/keywords.ts';
import { schemaAt } from './field-paths.ts';
import {
  type DeclaredChange,
  type FieldChange,
  plainChange,
  reportSecond,
  reportUnknown,
  type VersionStep,
} from './version-step.ts';

/** The context of reading `fill` of one resource. */
interface FillContext {
  readonly resource: Resource;
  readonly step: VersionStep;
  /** The fields of the successor that the older version does not have. */
  readonly without: ReadonlySet<string>;
  /** The fields that have a value already. */
  readonly filled: Set<string>;
}

/** Reads `fill`. @param entry one of the `changes` of a version */
export function readFill(entry: JsonObject, path: Path, context: FillContext): readonly DeclaredChange[] {
  const { resource, step, without, filled } = context;
  const { older, successor, report } = step;
  return Object.entries(readObject(entry['fill'])).flatMap(([name, value]): readonly DeclaredChange[] => {
    const at = [...path, 'fill', name];
    const field = resource.field.get(name);
    if (field === undefined) {
      reportUnknown(step, at, `field ${name} in ${resource.name}`, { name, known: resource.field.keys() });
      return [];
    }
    if (filled.has(name)) reportSecond(step, at, `the fill of ${name} of ${resource.name}`);
    filled.add(name);
    if (!without.has(name)) {
      report(at, `${older} can send ${name} to its successor ${successor}`, `remove it, or add without: [${name}]`);
    } else if (field.readOnly) {
      report(at, `no client of ${older} or ${successor} can write ${name}, which is read-only`, 'remove it');
    }
    const error = value === null && field.nullable ? null : valueCheck(field, schemaAt(resource.schema, name))(value);
    if (error !== null) {
      const cause = `what a create by ${older} has for ${name} of ${successor} ${error}`;
      report(at, cause, 'write a value that its schema allows');
    }
    return [plainChange({ kind: 'fill', resource: resource.name, field: name, value: storedForm(field)(value) }, at)];
  });
}

/**
 * Reports fields that every row needs and that neither clients of the older version nor anything else gives a value.
 */
export function checkLoss(
  changes: readonly DeclaredChange<FieldChange>[],
  { resource, step, filled }: Omit<FillContext, 'without'>,
): void {
  for (const { change, at } of changes) {
    if (change.kind !== 'without' || filled.has(change.field)) continue;
    const field = resource.field.get(change.field);
    if (field === undefined || !needsValue(field)) continue;
    const { name } = field;
    const required = `${step.successor} requires ${name}, which has no default`;
    const cause = `${step.older} cannot create ${resource.name}: ${required}`;
    step.report(at, cause, `add fill: { ${name}: value }, or a default to the field`);
  }
}
