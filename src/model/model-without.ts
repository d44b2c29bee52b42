import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { CollectionLink, Model, Resource } from './model.ts';

/** Fields and computed members, by resource. */
export type HiddenMembers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Removes fields from a model, for a caller that may not read them (REP-11).
 *
 * Also removes computed members of these names, relations through the fields, and their state machines.
 * Parts that no caller reads stay: rules on rows, indexes, unique values and dependents.
 */
export function modelWithout(model: Model, hidden: HiddenMembers): Model {
  const resources = new Map([...model.resources].map(([name, each]) => [name, resourceWithout(each, hidden)]));
  const collections = new Map([...resources.values()].map((each) => [each.collection, each]));
  return { ...model, resources, collections };
}

/** The same object where nothing of it is hidden. */
function resourceWithout(resource: Resource, hidden: HiddenMembers): Resource {
  const own = hidden.get(resource.name) ?? NONE;
  const isShown = ({ resource: referring, field }: CollectionLink): boolean =>
    hidden.get(referring)?.has(field) !== true;
  if (own.size === 0 && resource.links.every(isShown)) return resource;
  const { fields, field, computed, properties, links, state } = resource;
  return {
    ...resource,
    ...(own.size === 0 ? {} : { isPartial: true }),
    fields: fields.filter(({ name }) => !own.has(name)),
    field: new Map([...field].filter(([name]) => !own.has(name))),
    computed: computed.filter(({ name }) => !own.has(name)),
    properties: new Map([...properties].filter(([path]) => !own.has(fieldOfPath(path)))),
    links: links.filter(isShown),
    state: state !== null && own.has(state.field) ? null : state,
  };
}

const NONE: ReadonlySet<string> = new Set();
