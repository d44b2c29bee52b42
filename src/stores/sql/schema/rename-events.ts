import type { Model, Resource } from '../../../model/model.ts';
import { BindParameters, type Dialect, type Statement } from '../dialect.ts';
import type { EventStep } from '../events/event-steps.ts';
import type { CurrentModels } from './current-models.ts';
import { findFormerNames } from '../../../versions/former-names.ts';
import { splitPath } from '../../../versions/renamed-paths.ts';
import { profileFields } from '../conversion/former-names.ts';
import { earlierParentField, earlierResource } from './earlier-names.ts';
import type { ResourceProfile } from './model-profile.ts';

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
 * Makes the statements that give stored events the names of a model that becomes the only one. Affected are events of a
 * resource that `was` another one or has another `singular`, and renamed fields (`x-was`). They are then read, filtered
 * and delivered like later events of the resource (EVT-2).
 *
 * @param current what is recorded of the models before
 */
export function renameEvents(current: CurrentModels, model: Model, dialect: Dialect): readonly Statement[] {
  const before = current.at(-1);
  if (before === undefined) return [];
  const resources = [...model.resources.values()].flatMap((resource) => {
    const earlier = earlierResource(before, resource);
    const parentField = earlierParentField(before, resource, model);
    return earlier === null ? [] : [{ resource, earlier, parentField }];
  });
  return [
    // On the way back to an older contract the steps since it are undone, and all other events are rewritten.
    ...(model.returnFrom === undefined ? resources.flatMap((each) => fieldStatements(each, dialect)) : []),
    ...resourceStatements(
      resources.flatMap(({ resource: { singular }, earlier }) =>
        earlier.singular === singular ? [] : [[earlier.singular, singular] as const],
      ),
      dialect,
    ),
  ];
}

/** A resource, and what it was before. */
interface RenamedResource {
  readonly resource: Resource;
  readonly earlier: ResourceProfile;
  /** The earlier name of the field with the id of the parent; null where it has the same. */
  readonly parentField: string | null;
}

function fieldStatements({ resource, earlier, parentField }: RenamedResource, dialect: Dialect): readonly Statement[] {
  const has = (name: string): boolean => Object.hasOwn(earlier.fields, name);
  const fields = resource.fields.flatMap((field) => {
    const was = field.name === resource.parent?.field ? parentField : field.was;
    return was !== null && !has(field.name) && has(was) ? [[was, field.name] as const] : [];
  });
  // Those inside of fields apply after those of fields, and begin with the later name of the field.
  const members = findFormerNames(resource, profileFields(earlier)).renamed.map(({ from, to }) => {
    const [name = ''] = splitPath(to);
    return [name + from.slice((splitPath(from)[0] ?? '').length), to] as const;
  });
  const renamed = [...fields, ...members];
  if (renamed.length === 0) return [];
  const parameters = new BindParameters(dialect);
  const later = addStep(Object.fromEntries(renamed), parameters);
  const text = `${addStepText(later)} and resource = ${parameters.add(earlier.singular)}`;
  return [{ text, values: parameters.values }];
}

/** @param renamed earlier and later singular names */
function resourceStatements(renamed: readonly (readonly [string, string])[], dialect: Dialect): readonly Statement[] {
  if (renamed.length === 0) return [];
  const parameters = new BindParameters(dialect);
  const rows = renamed.map((names) => `(${names.map((each) => `cast(${parameters.add(each)} as text)`).join(', ')})`);
  return [{ text: renameText(rows), values: parameters.values }];
}
