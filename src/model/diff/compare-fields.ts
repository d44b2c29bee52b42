import type { JsonObject } from '../../conventions/json/json.ts';
import type { CallerFill, ComputedField, Field, Generator, OnDelete, Reference, Resource } from '../model.ts';
import {
  addedMember,
  byName,
  compareOrder,
  MEMBER_COMPARERS,
  memberPlace,
  removedMember,
  SHAPE_COMPARERS,
} from './compare-shapes.ts';
import {
  type Comparer,
  type Comparers,
  compareMembers,
  compareNamed,
  flag,
  matched,
  type Pair,
  unseen,
} from './comparers.ts';
import { type Difference, difference, inside, type Place } from './difference.ts';
import { NO_PATHS, type ValuePlace } from './keywords.ts';

export const READ_ONLY = flag(['read-only-added', 'is read-only'], ['read-only-removed', 'is no longer read-only']);
export const WRITE_ONLY = flag(
  ['write-only-added', 'is no longer in responses'],
  ['write-only-removed', 'is in responses'],
);

const FIELD_COMPARERS = {
  ...MEMBER_COMPARERS,
  readOnly: anywhere(READ_ONLY),
  writeOnly: anywhere(WRITE_ONLY),
  immutable: flag(
    ['immutable-added', 'cannot change after creation'],
    ['immutable-removed', 'can change after creation'],
  ),
  was: unseen('the name in the database'),
  reference: (was, is, at) => compareReference([was, is], at),
  generator: (was, is, at) => compareGenerator([was, is], whole(at)),
  fill: (was, is, at) => compareFill([was, is], whole(at)),
  shownOnce: anywhere(
    flag(
      ['shown-once-added', 'is in the response to its creation only'],
      ['shown-once-removed', 'is no longer limited to the response to its creation'],
    ),
  ),
} satisfies Comparers<Field, ValuePlace>;

const REFERENCE_COMPARERS = {
  resource: (was, is, at) =>
    was === is ? [] : [difference('reference-changed', at, `refers to ${is}, referred to ${was}`)],
  as: (was, is, at) => {
    if (was === is) return [];
    if (was === null) return [difference('relation-added', whole(at), `has the relation ${is}`)];
    if (is === null) return [difference('relation-removed', whole(at), `no longer has the relation ${was}`)];
    return [difference('relation-renamed', whole(at), `the relation is ${is}, was ${was}`)];
  },
  inverse: unseen('a link of the resource that is referred to, compared there'),
  onDelete: (was, is, at) => compareOnDelete([was, is], whole(at)),
  siblings: unseen('follows from the parents of both resources'),
  unread: (was, is, at) => {
    if (was === is) return [];
    const [kind, rule] =
      is === 'allow'
        ? (['unread-reference-allowed', 'may refer to its rows'] as const)
        : (['unread-reference-hidden', 'may no longer refer to its rows'] as const);
    return [difference(kind, at, `callers that may not read the collection ${rule}`)];
  },
} satisfies Comparers<Reference, ValuePlace>;

/** Computed members are a part of responses alone. What computes them is code. */
const COMPUTED_COMPARERS = {
  ...SHAPE_COMPARERS,
  name: unseen('members are matched by it'),
  schema: unseen('compared by its keywords, with the type'),
  from: unseen('what the ETag depends on'),
  value: unseen('a function, which is noted'),
} satisfies Comparers<ComputedField, ValuePlace>;

/**
 * The differences of the fields of a resource, which are matched by name or, where the new one has `x-was`, by its
 * former name.
 */
export function compareFields([was, is]: Pair<Resource>, at: Place): readonly Difference[] {
  const filterable = filterablePaths(was, at).intersection(filterablePaths(is, at));
  const place: ValuePlace = { ...at, schemas: [was.schema, is.schema], filterable };
  const fields = matched(was.field, is.field, (field) => field.was);
  return [
    ...compareNamed(fields, {
      both: (pair) => compareField(pair, place),
      added: (field) => addedMember(field, limitFlow([field, field], inside(at, field.name))),
      removed: (field) => removedMember(limitFlow([field, field], inside(at, field.name))),
    }),
    ...compareOrder(fields, was.fields, at),
  ];
}

function filterablePaths({ properties }: Resource, at: Place): ReadonlySet<string> {
  const accepted = [...properties.values()].filter((property) => property.filterable);
  return new Set(accepted.map(({ path }) => inside(at, path).path));
}

function compareField(pair: Pair<Field>, parent: ValuePlace): readonly Difference[] {
  const [was, is] = pair;
  const at = limitFlow(pair, memberPlace(parent, is.name, was.name));
  const renamed = was.name === is.name ? [] : [difference('field-renamed', at, `was named ${was.name}`)];
  return [...renamed, ...compareMembers<Field, ValuePlace>(FIELD_COMPARERS, pair, at)];
}

/** The differences of the computed members of a resource. */
export function compareComputed(
  was: readonly ComputedField[],
  is: readonly ComputedField[],
  at: Place,
): readonly Difference[] {
  const place = (name: string): Place => ({ ...inside(at, name), requests: false });
  return compareNamed(matched(byName(was), byName(is)), {
    both: (pair, name) => {
      const schemas: Pair<JsonObject> = [pair[0].schema, pair[1].schema];
      const here = { ...place(name), schemas, filterable: NO_PATHS };
      return compareMembers<ComputedField, ValuePlace>(COMPUTED_COMPARERS, pair, here);
    },
    added: (_added, name) => difference('field-added', place(name), 'a new computed member'),
    removed: (_removed, name) => removedMember(place(name)),
  });
}

/**
 * A field is a part of requests, or of responses, where it is one in both models. Changes of that are differences of
 * their own.
 */
function limitFlow<P extends Place>(fields: Pair<Field>, at: P): P {
  return {
    ...at,
    requests: at.requests && fields.every(({ readOnly }) => !readOnly),
    responses: at.responses && fields.every(({ writeOnly, shownOnce }) => !writeOnly || shownOnce),
  };
}

/** The place, also for what is not sent or shown: relations, and flags that say what is. */
function whole<P extends Place>(at: P): P {
  return { ...at, requests: true, responses: true };
}

/** A comparer of what holds for the field as a whole, whether it is a part of requests and responses or not. */
function anywhere<V>(comparer: Comparer<V>): Comparer<V> {
  return (was, is, at, owner) => comparer(was, is, whole(at), owner);
}

function compareReference([was, is]: Pair<Reference | null>, at: ValuePlace): readonly Difference[] {
  if (was !== null && is !== null) return compareMembers<Reference, ValuePlace>(REFERENCE_COMPARERS, [was, is], at);
  if (is !== null) {
    return [
      difference('reference-added', at, `has to name one of ${is.resource}`),
      ...REFERENCE_COMPARERS.as(null, is.as, at),
    ];
  }
  if (was === null) return [];
  return [
    difference('reference-removed', at, `need not name one of ${was.resource}`),
    ...REFERENCE_COMPARERS.as(was.as, null, at),
  ];
}

const AFTER_DELETE: Readonly<Record<OnDelete, string>> = {
  restrict: 'is refused',
  nullify: 'unsets it',
  cascade: 'deletes the row, too',
};

function compareOnDelete([was, is]: Pair<OnDelete>, at: Place): readonly Difference[] {
  if (was === is) return [];
  const what = `deleting what it refers to ${AFTER_DELETE[is]}; before, it ${AFTER_DELETE[was]}`;
  return [difference(is === 'restrict' ? 'delete-restricted' : 'delete-effect-changed', at, what)];
}

function compareGenerator([was, is]: Pair<Generator | null>, at: Place): readonly Difference[] {
  const [before, after] = [describeGenerator(was), describeGenerator(is)];
  if (before === after) return [];
  if (was === null) return [difference('generated-added', at, `the server makes it: ${after}`)];
  if (is === null) return [difference('generated-removed', at, `the server no longer makes it: was ${before}`)];
  return [difference('generated-changed', at, `the server makes it: ${after}, was ${before}`)];
}

function compareFill([was, is]: Pair<CallerFill | null>, at: Place): readonly Difference[] {
  const [before, after] = [describeFill(was), describeFill(is)];
  if (before === after) return [];
  if (was === null) return [difference('generated-added', at, `a new one has it from the caller: ${after}`)];
  if (is === null)
    return [difference('generated-removed', at, `a new one no longer has it from the caller: was ${before}`)];
  return [difference('generated-changed', at, `a new one has it from the caller: ${after}, was ${before}`)];
}

function describeFill(fill: CallerFill | null): string {
  if (fill === null) return 'nothing';
  const { value } = fill;
  return value.kind === 'claim' ? `its claim ${value.path}` : `its ${value.member}`;
}

/** Two functions are one here, because functions are not compared. */
function describeGenerator(generator: Generator | null): string {
  switch (generator?.kind) {
    case undefined:
      return 'nothing';
    case 'code':
      return 'a function';
    case 'uuid':
      return 'a UUID';
    case 'now':
      return 'the time of its creation';
    case 'secret':
      return `a secret with the prefix ${JSON.stringify(generator.prefix)}`;
    case 'hint':
      return `the first characters of ${generator.secret}`;
  }
}
