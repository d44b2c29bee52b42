import type { JsonObject } from '../../conventions/json/json.ts';
import type { Field, Member, Shape, ValueType } from '../model.ts';
import { readObject, readString } from '../values/access.ts';
import { MAX_DIGITS } from '../values/exact-number.ts';
import { compareNull, compareTypes, type ValueForm } from './compare-values.ts';
import {
  type Comparers,
  compareMembers,
  compareNamed,
  type MatchedParts,
  matched,
  type Pair,
  unseen,
} from './comparers.ts';
import { type Difference, difference, inside, isAndWas, type Place, shown } from './difference.ts';
import { compareKeywords, isSameJson, type ValuePlace, withFilters } from './keywords.ts';

type TypeOf<K extends ValueType['kind']> = Extract<ValueType, { readonly kind: K }>;

const KIND = unseen('compared before the rest of the type');

/**
 * The comparers of the members of each type. A new type, and a new member of one, does not compile until it is here.
 */
const TYPES: { readonly [K in ValueType['kind']]: Comparers<TypeOf<K>, ValuePlace> } = {
  text: {
    kind: KIND,
    format: unseen('compared before the rest of the type'),
    ids: unseen('follows from the reference'),
    digits: unseen('compared as the id of the resource'),
    compact: unseen('the form in the database'),
  },
  integer: { kind: KIND },
  number: { kind: KIND },
  boolean: { kind: KIND },
  'date-time': { kind: KIND, micros: unseen('follows from the table') },
  decimal: { kind: KIND, precision: compareDigits, scale: unseen('compared with the precision') },
  int64: { kind: KIND },
  binary: {
    kind: KIND,
    mediaType: (was, is, at) =>
      was === is
        ? []
        : [difference('values-changed', at, `the media type ${isAndWas(is ?? undefined, was ?? undefined)}`)],
  },
  object: { kind: KIND, members: compareDeclaredMembers },
  map: { kind: KIND, value: (was, is, at) => compareShape([was, is], element(at, '.*', 'additionalProperties')) },
  array: {
    kind: KIND,
    item: (was, is, at) => compareShape([was, is], element(at, '[]', 'items')),
    compact: unseen('the form in the database'),
  },
  json: { kind: KIND },
};

/** The comparers of a value. */
export const SHAPE_COMPARERS = {
  type: (_was, _is, at, shapes) => compareType(shapes, at),
  nullable: (_was, _is, at, [was, is]) => compareNull([readForm(was), readForm(is)], at),
} satisfies Comparers<Shape, ValuePlace>;

/** The comparers that fields and members of objects have in common. */
export const MEMBER_COMPARERS = {
  ...SHAPE_COMPARERS,
  name: unseen('members are matched by it'),
  required: (_was, _is, at, [was, is]) => compareRequired(was, is, at),
  default: (was, is, at, [oldMember, newMember]) => {
    // If the default decides that requests may omit the member, `required` reports it.
    if (isSameJson(was, is) || isMandatory(oldMember) !== isMandatory(newMember)) return [];
    return [difference('default-changed', at, `the default ${isAndWas(is, was)}`)];
  },
} satisfies Comparers<Member, ValuePlace>;

/** The differences of the values that two shapes describe. */
export function compareShape(shapes: Pair<Shape>, at: ValuePlace): readonly Difference[] {
  return compareMembers<Shape, ValuePlace>(SHAPE_COMPARERS, shapes, at);
}

/** A member that only the new model has. @param at of the member */
export function addedMember(added: Member, at: Place): Difference {
  return addedField(isMandatory(added), at);
}

/** The difference of a new field or member. @param isRequired true if requests have to send it */
export function addedField(isRequired: boolean, at: Place): Difference {
  if (isRequired && at.requests) return difference('required-field-added', at, 'a new required field');
  return difference('field-added', at, 'a new field');
}

/** The difference of a removed field or member. @param at of the member */
export function removedMember(at: Place): Difference {
  return difference('field-removed', at, 'was removed');
}

/** Compares the order of the fields that both have (REP-1). @param order the old fields */
export function compareOrder<T>({ both }: MatchedParts<T>, order: Iterable<T>, at: Place): readonly Difference[] {
  const fields = [...order];
  const positions = [...both.values()].map(([was]) => fields.indexOf(was));
  const isOrdered = positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? -1));
  return isOrdered ? [] : [difference('order-changed', at, 'the fields are in another order')];
}

/** Compares the types, and what both types have in common. */
function compareType([was, is]: Pair<Shape>, at: ValuePlace): readonly Difference[] {
  const found = compareTypes([readForm(was), readForm(is)], withFilters(at));
  if (found?.kind === 'type-changed') return [found];
  const inner = compareKind(was.type.kind, was.type, is.type, at);
  return [...(found === null ? [] : [found]), ...compareKeywords([was, is], at), ...inner];
}

/** The form of a shape. Requests may have null for an unset array, which is empty in responses (REP-4). */
function readForm({ type, nullable, required }: Shape & { readonly required?: boolean }): ValueForm {
  return {
    types: type.kind === 'json' ? null : new Set([type.kind === 'text' ? (type.format ?? 'string') : type.kind]),
    nullable,
    acceptsNull: nullable || (type.kind === 'array' && required === false),
  };
}

/** @param kind of both types */
function compareKind<K extends ValueType['kind']>(
  kind: K,
  was: TypeOf<K>,
  is: ValueType,
  at: ValuePlace,
): readonly Difference[] {
  return isOfKind(is, kind) ? compareMembers<TypeOf<K>, ValuePlace>(TYPES[kind], [was, is], at) : [];
}

function isOfKind<K extends ValueType['kind']>(type: ValueType, kind: K): type is TypeOf<K> {
  return type.kind === kind;
}

/** The members of an object inside a field. */
function compareDeclaredMembers(was: readonly Member[], is: readonly Member[], at: ValuePlace): readonly Difference[] {
  const [, schema] = at.schemas;
  const members = matched(byName(was), byName(is), ({ name }) => readString(propertySchema(schema, name)['x-was']));
  return [
    ...compareNamed(members, {
      both: (pair) => compareMember(pair, at),
      added: (each, name) => addedMember(each, inside(at, name)),
      removed: (_each, name) => removedMember(inside(at, name)),
    }),
    ...compareOrder(members, was, at),
  ];
}

function compareMember(pair: Pair<Member>, holder: ValuePlace): readonly Difference[] {
  const [was, is] = pair;
  const at = memberPlace(holder, is.name, was.name);
  const renamed = was.name === is.name ? [] : [difference('field-renamed', at, `was named ${was.name}`)];
  return [...renamed, ...compareMembers<Member, ValuePlace>(MEMBER_COMPARERS, pair, at)];
}

/** By name, in declared order. */
export function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((each) => [each.name, each]));
}

/** The place of a member in an object. @param oldName its name in the old model */
export function memberPlace<P extends ValuePlace>(at: P, name: string, oldName: string = name): P {
  const [was, is] = at.schemas;
  return { ...inside(at, name), schemas: [propertySchema(was, oldName), propertySchema(is, name)] };
}

function propertySchema(schema: JsonObject, name: string): JsonObject {
  return readObject(readObject(schema['properties'])[name]);
}

function element(at: ValuePlace, suffix: string, keyword: string): ValuePlace {
  const [was, is] = at.schemas;
  return { ...at, path: `${at.path}${suffix}`, schemas: [readObject(was[keyword]), readObject(is[keyword])] };
}

/** True if a client has to send it. */
function isMandatory(member: Member & Partial<Pick<Field, 'fill'>>): boolean {
  return member.required && member.default === undefined && (member.fill ?? null) === null;
}

function compareRequired(was: Member, is: Member, at: Place): readonly Difference[] {
  if (isMandatory(was) === isMandatory(is)) return [];
  if (isMandatory(is)) return [difference('field-required', at, 'is required')];
  const reason = is.default === undefined ? '' : `: the default is ${shown(is.default)}`;
  return [difference('field-not-required', at, `is no longer required${reason}`)];
}

/** The digits that a decimal may have: before the point, after it, and together. */
function digits({ precision, scale }: TypeOf<'decimal'>): readonly [whole: number, fraction: number, all: number] {
  const all = precision ?? MAX_DIGITS;
  const fraction = scale ?? all;
  return [precision !== null && scale !== null ? precision - scale : all, fraction, all];
}

function compareDigits(
  _was: number | null,
  _is: number | null,
  at: Place,
  [was, is]: Pair<TypeOf<'decimal'>>,
): readonly Difference[] {
  const [before, after] = [digits(was), digits(is)];
  const what = `the digits are ${describeDigits(is)}, were ${describeDigits(was)}`;
  return [
    ...(after.some((count, index) => count < (before[index] ?? 0)) ? [difference('values-narrower', at, what)] : []),
    ...(after.some((count, index) => count > (before[index] ?? 0)) ? [difference('values-wider', at, what)] : []),
  ];
}

function describeDigits({ precision, scale }: TypeOf<'decimal'>): string {
  const [all, decimals] = [
    precision === null ? 'any number' : String(precision),
    scale === null ? 'any' : String(scale),
  ];
  return `${all} with ${decimals} decimals`;
}
