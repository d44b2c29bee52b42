import type { CollectionLink, IdRule, Property, Resource } from '../model.ts';
import { ACCESS_COMPARERS, compareFieldAccess, ROW_COMPARERS } from './compare-access.ts';
import { compareComputed, compareFields } from './compare-fields.ts';
import { byName } from './compare-shapes.ts';
import { containsOptional, VALUES } from './compare-values.ts';
import {
  type Comparers,
  compareMembers,
  compareNamed,
  compareSets,
  flag,
  matched,
  type Pair,
  setDifference,
  unseen,
  value,
} from './comparers.ts';
import { type Difference, difference, inside, isAndWas, listed, type Place } from './difference.ts';
import { compareState } from './compare-state.ts';
import { compareAnnotations } from './keywords.ts';

const FROM_FIELDS = unseen('follows from the fields');

/** The comparer of each member of a compiled resource. */
const RESOURCE_COMPARERS = {
  name: unseen('resources are matched by it'),
  collection: unseen('follows from the name'),
  singular: value('singular-changed', 'the singular'),
  code: value('error-codes-changed', 'the prefix of its error codes'),
  table: unseen('where the rows are'),
  was: unseen('the name in the database'),
  id: compareId,
  fields: (_was, _is, at, pair) => compareFields(pair, at),
  field: unseen('the same fields, by name'),
  computed: compareComputed,
  hooks: unseen('functions, which are noted'),
  properties: compareProperties,
  parent: (was, is, at) =>
    was?.resource === is?.resource
      ? []
      : [difference('parent-changed', at, `the parent is ${is?.resource ?? 'none'}, was ${was?.resource ?? 'none'}`)],
  parentKey: unseen('follows from the parents and their ids'),
  isBelowCompact: unseen('the form in the database'),
  dependents: unseen('follows from the references of other resources'),
  links: compareLinks,
  uniques: compareUniques,
  indexes: unseen('they change what a query costs, and not its result'),
  search: compareSearch,
  declares: unseen('for warnings'),
  state: (was, is, at) => compareState([was, is], at),
  sort: (was, is, at) => {
    const [before, after] = [was, is].map((keys) =>
      keys.map(({ path, descending }) => `${descending ? '-' : ''}${path}`).join(),
    );
    return before === after ? [] : [difference('sort-changed', at, `the default order is ${after}, was ${before}`)];
  },
  timeField: value('time-field-changed', 'the field of time windows'),
  events: (was, is, at) => {
    if (was === is) return [];
    const isMore = CONTENT.indexOf(is) > CONTENT.indexOf(was);
    return [difference(isMore ? 'events-added' : 'events-removed', at, `events are ${is}, were ${was}`)];
  },
  access: (was, is, at) => compareMembers(ACCESS_COMPARERS, [was, is], at),
  fieldAccess: (_was, _is, at, pair) => compareFieldAccess(pair, at),
  isPartial: unseen('follows from the access to fields'),
  sameForEveryCaller: unseen('follows from the access to rows and fields'),
  rows: (was, is, at) => compareMembers(ROW_COMPARERS, [was, is], at),
  owner: (was, is, at) =>
    was === is
      ? []
      : [difference('owner-changed', at, `the owner of a row is in ${is ?? 'no field'}, was in ${was ?? 'no field'}`)],
  readOnly: flag(
    ['resource-read-only', 'the resource became read-only'],
    ['resource-writable', 'callers may write the resource'],
  ),
  requireIfMatch: flag(
    ['if-match-required', 'changes need If-Match'],
    ['if-match-not-required', 'changes no longer need If-Match'],
  ),
  idempotency: (was, is, at, pair) => KEY_REQUIRED(was === 'required', is === 'required', at, pair),
  tombstones: (was, is, at) => {
    if ((was === null) === (is === null)) return [];
    const now = is === null ? 'are 404 immediately' : 'are 410 for a time, then 404';
    return [difference('deleted-ids-changed', at, `the ids of deleted rows ${now}`)];
  },
  compact: unseen('the form in the database'),
  cache: (was, is, at) =>
    was?.maxAge === is?.maxAge && was?.scope === is?.scope
      ? []
      : [difference('caching-changed', at, 'responses may be cached for another time, or by others')],
  schema: (was, is, at) => compareAnnotations([was, is], at),
} satisfies Comparers<Resource>;

/** The contents of events, from the least on. */
const CONTENT: readonly Resource['events'][] = ['none', 'thin', 'full'];

const KEY_REQUIRED = flag(
  ['idempotency-key-required', 'POST and PATCH need Idempotency-Key'],
  ['idempotency-key-not-required', 'POST and PATCH no longer need Idempotency-Key'],
);

const PROPERTY_COMPARERS = {
  path: unseen('properties are matched by it'),
  type: FROM_FIELDS,
  nullable: FROM_FIELDS,
  allowed: FROM_FIELDS,
  holdsComma: FROM_FIELDS,
  sortable: flag(['query-added', 'sort accepts it'], ['query-removed', 'sort no longer accepts it']),
  filterable: flag(['query-added', 'filters accept it'], ['query-removed', 'filters no longer accept it']),
} satisfies Comparers<Property>;

const LINK_COMPARERS = {
  name: unseen('links are matched by it'),
  resource: value('link-changed', 'what it links to'),
  kind: value('link-changed', 'the kind of the link'),
  field: value('link-changed', 'the field behind the link'),
} satisfies Comparers<CollectionLink>;

/**
 * The differences of the resources of two models, which are matched by name or, where the new one has `was`, by its
 * former name.
 */
export function compareResources(
  was: ReadonlyMap<string, Resource>,
  is: ReadonlyMap<string, Resource>,
): readonly Difference[] {
  const { removed, both } = matched(was, is, (resource) => resource.was);
  return [
    ...[...is.keys()].flatMap((name) => {
      const pair = both.get(name);
      return pair === undefined
        ? [difference('resource-added', resourcePlace(name), 'a new resource')]
        : compareResource(pair, resourcePlace(name));
    }),
    ...[...removed.keys()].map((name) => difference('resource-removed', resourcePlace(name), 'was removed')),
  ];
}

function resourcePlace(resource: string): Place {
  return { resource, path: resource, requests: true, responses: true };
}

function compareResource(pair: Pair<Resource>, at: Place): readonly Difference[] {
  const [was, is] = pair;
  const renamed = was.name === is.name ? [] : [difference('resource-renamed', at, `was named ${was.name}`)];
  return [...renamed, ...compareMembers<Resource, Place>(RESOURCE_COMPARERS, pair, at)];
}

function compareId(was: IdRule, is: IdRule, at: Place): readonly Difference[] {
  if (was.kind !== is.kind) {
    const what =
      is.kind === 'client' ? 'clients choose the ids, the server did' : 'the server makes the ids, clients did';
    return [difference('id-rule-changed', at, what)];
  }
  const [before, after] = [idPattern(was), idPattern(is)];
  const kind = compareSets([before, after], containsOptional, VALUES);
  const pattern = `the pattern ${isAndWas(after ?? undefined, before ?? undefined)}`;
  return [
    ...(kind === null ? [] : [difference(kind, inside(at, 'id'), pattern)]),
    ...ID_OPTIONS.flatMap(([option, what]) => {
      const [had, has] = [allows(was, option), allows(is, option)];
      if (had === has) return [];
      return [difference(has ? VALUES.wider : VALUES.narrower, inside(at, 'id'), `${what} is ${has}, was ${had}`)];
    }),
  ];
}

const ID_OPTIONS = [
  ['optional', 'id.optional (resources are created without an id)'],
  ['number', 'id.number (integers are read as ids)'],
] as const;

function allows(rule: IdRule, option: 'optional' | 'number'): boolean {
  return rule.kind === 'client' && rule[option];
}

function idPattern(rule: IdRule): string | null {
  return rule.kind === 'client' ? (rule.pattern?.source ?? null) : null;
}

/** Compares the properties that both have. Those of a new or removed field are a part of that difference. */
function compareProperties(was: Resource['properties'], is: Resource['properties'], at: Place): readonly Difference[] {
  return [...matched(was, is).both].flatMap(([path, pair]) =>
    compareMembers<Property, Place>(PROPERTY_COMPARERS, pair, inside(at, path)),
  );
}

function compareLinks(was: readonly CollectionLink[], is: readonly CollectionLink[], at: Place): readonly Difference[] {
  return compareNamed(matched(byName(was), byName(is)), {
    both: (pair) => compareMembers<CollectionLink, Place>(LINK_COMPARERS, pair, at),
    added: (_added, name) => difference('link-added', at, `a new link ${name}`),
    removed: (_removed, name) => difference('link-removed', at, `no longer links to ${name}`),
  });
}

/** A list is a set of names: the order of a unique list is that of its index. */
function compareUniques(was: Resource['uniques'], is: Resource['uniques'], at: Place): readonly Difference[] {
  const textOf = (paths: readonly string[]): string => paths.toSorted().join(', ');
  const { removed, added } = setDifference(was.map(textOf), is.map(textOf));
  return [
    ...added.map((paths) => difference('unique-added', at, `[${paths}] is unique`)),
    ...removed.map((paths) => difference('unique-removed', at, `[${paths}] is no longer unique`)),
  ];
}

function compareSearch(was: readonly string[], is: readonly string[], at: Place): readonly Difference[] {
  const { removed, added } = setDifference(was, is);
  if (removed.length + added.length === 0) return [];
  if (was.length === 0) return [difference('search-added', at, `q searches ${listed(is)}`)];
  if (is.length === 0) return [difference('search-removed', at, 'q is no longer accepted')];
  return [difference('search-changed', at, `q searches ${listed(is)}, searched ${listed(was)}`)];
}
