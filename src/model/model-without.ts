import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { CollectionLink, Model, Resource } from './model.ts';

/** Fields and computed members, by resource. */
export type HiddenMembers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The model in which some fields do not exist, as a caller sees it that may not read them (REP-11): neither do computed members of these names, what
 * leads through the fields, or their state machines. What no caller reads stays: rules on rows, indexes and unique values, dependents.
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
