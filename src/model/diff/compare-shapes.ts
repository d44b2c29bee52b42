import type { JsonObject } from '../../conventions/json/json.ts';
import type { Member, Shape, ValueType } from '../model.ts';
import { objectOf } from '../values/access.ts';
import { MAX_DIGITS } from '../values/exact-number.ts';
import { type Comparers, compareMembers, matched, type Pair, unseen } from './comparers.ts';
import { type Difference, difference, inside, isAndWas, type Place, shown } from './difference.ts';
import { compareKeywords, isSame, type ValuePlace, withFilters } from './keywords.ts';

type TypeOf<K extends ValueType['kind']> = Extract<ValueType, { readonly kind: K }>;

const KIND = unseen('compared before the rest of the type');

/** How the members of each type are compared. A new type, and a new member of one, does not compile until it is here. */
const TYPES: { readonly [K in ValueType['kind']]: Comparers<TypeOf<K>, ValuePlace> } = {
  text: { kind: KIND, format: unseen('compared before the rest of the type') },
  integer: { kind: KIND },
  number: { kind: KIND },
  boolean: { kind: KIND },
  'date-time': { kind: KIND },
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
  array: { kind: KIND, item: (was, is, at) => compareShape([was, is], element(at, '[]', 'items')) },
};

/** How a value is compared, whatever has it. */
export const SHAPE_COMPARERS = {
  type: (_was, _is, at, shapes) => compareType(shapes, at),
  nullable: (_was, _is, at, shapes) => compareNull(shapes, at),
} satisfies Comparers<Shape, ValuePlace>;

/** How a field, and a member of an object, is compared. */
export const MEMBER_COMPARERS = {
  ...SHAPE_COMPARERS,
  name: unseen('members are matched by it'),
  required: (_was, _is, at, [was, is]) => compareRequired(was, is, at),
  default: (was, is, at, [oldMember, newMember]) => {
    // Where it decides whether the member has to be sent, `required` says it.
    if (isSame(was, is) || isMandatory(oldMember) !== isMandatory(newMember)) return [];
    return [difference('default-changed', at, `the default ${isAndWas(is, was)}`)];
  },
} satisfies Comparers<Member, ValuePlace>;

/** The differences of the values that two shapes describe. */
export function compareShape(shapes: Pair<Shape>, at: ValuePlace): readonly Difference[] {
  return compareMembers<Shape, ValuePlace>(SHAPE_COMPARERS, shapes, at);
}

/** A member that only the new model has. @param at of the member */
export function addedMember(added: Member, at: Place): Difference {
  if (isMandatory(added) && at.requests) return difference('required-field-added', at, 'a new required field');
  return difference('field-added', at, 'a new field');
}

/** A member that only the old model has. @param at of the member */
export function removedMember(at: Place): Difference {
  return difference('field-removed', at, 'was removed');
}

/** Whether what both have is in another order (REP-1). @param positions in the old model, in the order of the new one */
export function compareOrder(positions: readonly number[], at: Place): readonly Difference[] {
  const isOrdered = positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? -1));
  return isOrdered ? [] : [difference('order-changed', at, 'the fields are in another order')];
}

/** Numbers and texts have types that contain others; all other types exclude each other. */
function compareType([was, is]: Pair<Shape>, at: ValuePlace): readonly Difference[] {
  const found = typeDifference(was.type, is.type, at);
  if (found?.kind === 'type-changed') return [found];
  const inner = compareKind(was.type.kind, was.type, is.type, at);
  return [...(found === null ? [] : [found]), ...compareKeywords([was, is], at), ...inner];
}

function typeDifference(was: ValueType, is: ValueType, place: ValuePlace): Difference | null {
  const at = withFilters(place);
  const [before, after] = [typeName(was), typeName(is)];
  if (before === after) return null;
  const what = `the type is ${after}, was ${before}`;
  if (contains(was, is)) return difference('type-narrower', at, what);
  return difference(contains(is, was) ? 'type-wider' : 'type-changed', at, what);
}

/** Whether each value of a type is one of another type. */
function contains(outer: ValueType, inner: ValueType): boolean {
  if (outer.kind === 'number') return inner.kind === 'integer';
  return outer.kind === 'text' && outer.format === null && inner.kind === 'text';
}

function typeName(type: ValueType): string {
  return type.kind === 'text' ? (type.format ?? 'string') : type.kind;
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
  const [before, after] = [byName(was), byName(is)];
  const { removed, added, both } = matched(before, after);
  const order = [...before.keys()];
  return [
    ...[...both].flatMap(([name, pair]) =>
      compareMembers<Member, ValuePlace>(MEMBER_COMPARERS, pair, member(at, name)),
    ),
    ...[...added].map(([name, each]) => addedMember(each, inside(at, name))),
    ...[...removed.keys()].map((name) => removedMember(inside(at, name))),
    ...compareOrder(
      [...both.keys()].map((name) => order.indexOf(name)),
      at,
    ),
  ];
}

/** By name, in declared order. */
export function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((each) => [each.name, each]));
}

/** The place of a member in an object. @param oldName its name in the old model */
export function member<P extends ValuePlace>(at: P, name: string, oldName: string = name): P {
  const [was, is] = at.schemas;
  return { ...inside(at, name), schemas: [propertyOf(was, oldName), propertyOf(is, name)] };
}

function propertyOf(schema: JsonObject, name: string): JsonObject {
  return objectOf(objectOf(schema['properties'])[name]);
}

function element(at: ValuePlace, suffix: string, keyword: string): ValuePlace {
  const [was, is] = at.schemas;
  return { ...at, path: `${at.path}${suffix}`, schemas: [objectOf(was[keyword]), objectOf(is[keyword])] };
}

/** Whether a client has to send it. */
function isMandatory({ required, default: value }: Member): boolean {
  return required && value === undefined;
}

function compareRequired(was: Member, is: Member, at: Place): readonly Difference[] {
  if (isMandatory(was) === isMandatory(is)) return [];
  if (isMandatory(is)) return [difference('field-required', at, 'is required')];
  const reason = is.default === undefined ? '' : `: the default is ${shown(is.default)}`;
  return [difference('field-not-required', at, `is no longer required${reason}`)];
}

/** Requests may have null for an unset array, which is empty in responses (REP-4). */
function compareNull([was, is]: Pair<Shape & { readonly required?: boolean }>, at: ValuePlace): readonly Difference[] {
  const [before, after] = [acceptsNull(was), acceptsNull(is)];
  if (before === after) return [];
  const here = { ...at, responses: at.responses && was.nullable !== is.nullable };
  return [after ? difference('null-allowed', here, 'may be null') : difference('null-refused', here, 'is never null')];
}

function acceptsNull({ type, nullable, required }: Shape & { readonly required?: boolean }): boolean {
  return nullable || (type.kind === 'array' && required === false);
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
