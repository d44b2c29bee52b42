import type { Model } from '../../../model/model.ts';
import { BindParameters, type Dialect, type Statement } from '../dialect.ts';
import type { EventStep } from '../events/event-steps.ts';
import type { CurrentModels } from './current-models.ts';
import { findResourcesBefore, listRelatedNames, type ResourceBefore } from '../../../versions/former-fields.ts';
import { type RenamedPath, splitPath } from '../../../versions/renamed-paths.ts';
import { formerResource } from '../conversion/former-names.ts';

/**
 * Rows of `renamed (earlier, later)` are singular names. The shape of an event begins with its type and its resource.
 */
function renameText(rows: readonly string[]): string {
  const type = 'renamed.later || substr(shapes.type, length(renamed.earlier) + 1)';
  const rest = `substr(shapes.shape, length('["' || shapes.type || '","' || renamed.earlier) + 1)`;
  const shape = `'["' || ${type} || '","' || renamed.later || ${rest}`;
  return `with renamed (earlier, later) as (values ${rows.join(', ')})
update restwright_event_shapes as shapes set type = ${type}, resource = renamed.later, shape = ${shape}
from renamed where shapes.resource = renamed.earlier and shapes.shape like '["%'
and not exists (select 1 from restwright_event_shapes as other where other.shape = ${shape})`;
}

/** Appends a step of the history of events (`events/event-steps.ts`). The events are as they were. */
function addStepText(step: string): string {
  return `update restwright_event_shapes set shape = substr(shape, 1, length(shape) - 1) || ${step}
where shape like '["%'`;
}

/**
 * The statement that notes the contract whose rows a migration converts: events before it are of that contract.
 *
 * @param served the schema version of events that instances of the newest model have written meanwhile; null for none
 */
export function noteContract(version: string, served: string | null, dialect: Dialect): Statement {
  const parameters = new BindParameters(dialect);
  const noted = addStepText(addStep(version, parameters));
  if (served === null) return { text: noted, values: parameters.values };
  // The version is the third member of a shape, and has only digits and a point.
  const rest = `substr(shape, length('["' || type || '","' || resource || '",') + 1)`;
  const own = `cast(${parameters.add(`${JSON.stringify(served)},%`)} as text)`;
  return { text: `${noted} and ${rest} not like ${own}`, values: parameters.values };
}

function addStep(step: EventStep, parameters: BindParameters): string {
  return `cast(${parameters.add(`,${JSON.stringify(step)}]`)} as text)`;
}

/**
 * Makes the statements that give stored events the names of a model that becomes the only one. Affected are resources
 * that `was` another one or have another `singular`, and renamed fields (`x-was`). So is what events record of related
 * rows. They are then read, filtered and delivered like later events of the resource (EVT-2).
 *
 * @param current what is recorded of the models before
 */
export function renameEvents(current: CurrentModels, model: Model, dialect: Dialect): readonly Statement[] {
  const before = current.at(-1);
  if (before === undefined) return [];
  const found = findResourcesBefore(model, (resource) => formerResource(resource, before));
  const byName = new Map(found.map((each) => [each.resource.name, each]));
  return [
    // On the way back to an older contract the steps since it are undone, and all other events are rewritten.
    ...(model.returnFrom === undefined
      ? found.flatMap((each) => nameFields(each, listRelatedNames(model.resources, each.resource, byName), dialect))
      : []),
    ...resourceStatements(
      found.flatMap(({ resource: { singular }, before: earlier }) =>
        earlier.singular === singular ? [] : [[earlier.singular, singular] as const],
      ),
      dialect,
    ),
  ];
}

/** @param related the names in what is recorded of related rows */
function nameFields(
  { before, fields, renamed }: ResourceBefore,
  related: readonly RenamedPath[],
  dialect: Dialect,
): readonly Statement[] {
  // Those inside of fields apply after those of fields, and begin with the later name of the field.
  const members = renamed.map(({ from, to }) => {
    const [name = ''] = splitPath(to);
    return { from: name + from.slice((splitPath(from)[0] ?? '').length), to };
  });
  const names = [...fields, ...members, ...related].map(({ from, to }) => [from, to] as const);
  if (names.length === 0) return [];
  const parameters = new BindParameters(dialect);
  const later = addStep(Object.fromEntries(names), parameters);
  const text = `${addStepText(later)} and resource = ${parameters.add(before.singular)}`;
  return [{ text, values: parameters.values }];
}

/** @param renamed earlier and later singular names */
function resourceStatements(renamed: readonly (readonly [string, string])[], dialect: Dialect): readonly Statement[] {
  if (renamed.length === 0) return [];
  const parameters = new BindParameters(dialect);
  const rows = renamed.map((names) => `(${names.map((each) => `cast(${parameters.add(each)} as text)`).join(', ')})`);
  return [{ text: renameText(rows), values: parameters.values }];
}
