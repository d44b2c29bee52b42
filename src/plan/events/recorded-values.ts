import { fieldOfPath } from '../../conventions/text/field-path.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import type { PolicyComparison, PolicyReference } from '../../model/policy.ts';
import { isComparable } from '../../model/operators.ts';
import { isHidden, keyMembers, referringMembers } from '../../model/row-key.ts';
import type { Ancestor, FieldValues } from '../plan.ts';
import { comparisons } from '../policy-paths.ts';
import type { RecordedFields, ReferenceKeys, RelatedFields, RelatedValues } from '../related-values.ts';

type ResourceMap = ReadonlyMap<string, Resource>;

/** A row before or after a write, and where it is. */
export interface LocatedValues {
  /** The values of every field. */
  readonly values: FieldValues;
  readonly within: readonly Ancestor[];
  /** The row as it was read, where `values` lacks its hidden members. */
  readonly stored?: FieldValues;
}

/**
 * The recorded values of a row itself; null where no policy compares any.
 *
 * @param times that `row` does not have, or has from before the write
 */
export function recordedValues(
  resources: ResourceMap,
  resource: Resource,
  row: FieldValues,
  times: FieldValues = NO_VALUES,
): FieldValues | null {
  const { fields, related } = recordedFields(resources)(resource);
  if (fields.length === 0 && related.length === 0) return null;
  return Object.fromEntries(fields.map((name) => [name, times[name] ?? row[name] ?? null]));
}

/** The recorded values of the rows that a row refers to; null if no policy reads any. */
export function relatedValues(
  resources: ResourceMap,
  resource: Resource,
  before: LocatedValues | null,
  after: LocatedValues | null,
): RelatedValues | null {
  const { related } = recordedFields(resources)(resource);
  if (related.length === 0) return null;
  const keys = (row: LocatedValues | null): ReferenceKeys | null =>
    row === null ? null : referenceKeys(resources, resource, related, row);
  return { related, before: keys(before), after: keys(after) };
}

/** A reference of which the row does not say the whole key is left out. */
function referenceKeys(
  resources: ResourceMap,
  resource: Resource,
  related: readonly RelatedFields[],
  { values, within, stored }: LocatedValues,
): ReferenceKeys {
  const member = (name: string): Json =>
    values[name] ?? (isHidden(name) ? stored?.[name] : null) ?? within[resource.parentKey.indexOf(name)]?.id ?? null;
  const keys = related.flatMap(
    ({ field, resource: target }): readonly (readonly [string, readonly string[] | null])[] => {
      const width = keyMembers(requireResource(resources, target)).length;
      const key = referringMembers(resource, field).slice(0, width).map(member);
      if (key[0] === null) return [[field, null]];
      const ids = key.filter((id) => typeof id === 'string');
      return ids.length < width ? [] : [[field, ids]];
    },
  );
  return Object.fromEntries(keys);
}

const NO_VALUES: FieldValues = {};

/** No policy can know the revision before the row is written; the id is a part of the event. */
const NOT_RECORDED: ReadonlySet<string> = new Set(['id', 'revision']);

/** The fields that policies compare, of the rows of a resource and of those that they refer to. */
export const recordedFields = weakMemoize((resources: ResourceMap) =>
  weakMemoize((resource: Resource): RecordedFields => {
    const { fields, related } = frozen(collected(resources, resource));
    return { fields: fields.filter((name) => !NOT_RECORDED.has(name)), related };
  }),
);

/** The paths that policies compare, of the rows of a resource and of those that they refer to, by reference. */
export interface ComparedPaths {
  readonly paths: ReadonlySet<string>;
  readonly related: ReadonlyMap<string, { readonly resource: string; readonly node: ComparedPaths }>;
}

/** Finds what {@link recordedFields} are compared by. */
export const comparedPaths = weakMemoize((resources: ResourceMap) =>
  weakMemoize((resource: Resource): ComparedPaths => collected(resources, resource)),
);

/** Recorded fields that are being collected. */
interface Node {
  readonly fields: Set<string>;
  readonly paths: Set<string>;
  readonly related: Map<string, { readonly resource: string; readonly node: Node }>;
}

function emptyNode(): Node {
  return { fields: new Set(), paths: new Set(), related: new Map() };
}

/** Collects the operands of the rules of a resource and of those above it. Leaves out paths without a comparison. */
function collected(resources: ResourceMap, resource: Resource, node = emptyNode()): Node {
  for (const { references, path } of resource.rows.read.flatMap((rule) =>
    rule.kind === 'policy' ? comparisons(rule.policy) : listComparable(resource),
  )) {
    addPath(nodeAt(node, references), path);
  }
  if (resource.owner !== null) addPath(node, resource.owner);
  const { parent } = resource;
  if (parent === null) return node;
  const isKnown = node.related.has(parent.field);
  const above = collected(resources, requireResource(resources, parent.resource), nodeAt(node, [parent]));
  if (!isKnown && above.fields.size === 0 && above.related.size === 0) node.related.delete(parent.field);
  return node;
}

function addPath({ fields, paths }: Node, path: string): void {
  fields.add(fieldOfPath(path));
  paths.add(path);
}

/** Lists the values that a function may compare. The references that it follows are not known before it is called. */
function listComparable({ properties }: Resource): readonly Pick<PolicyComparison, 'references' | 'path'>[] {
  return [...properties.values()]
    .filter(({ type }) => isComparable(type))
    .map(({ path }) => ({ references: [], path }));
}

function nodeAt(node: Node, references: readonly PolicyReference[]): Node {
  return references.reduce((from, { field, resource }) => {
    const to = from.related.get(field) ?? { resource, node: emptyNode() };
    from.related.set(field, to);
    return to.node;
  }, node);
}

function frozen({ fields, related }: Node): RecordedFields {
  return {
    fields: [...fields],
    related: [...related].map(([field, { resource, node }]) => ({ field, resource, ...frozen(node) })),
  };
}

function requireResource(resources: ResourceMap, name: string): Resource {
  const resource = resources.get(name);
  if (resource === undefined) throw new Error(`the model has no resource ${name}`);
  return resource;
}
