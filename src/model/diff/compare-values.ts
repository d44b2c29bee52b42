import { compareSets, type ContainmentKinds, type Pair } from './comparers.ts';
import { type Difference, difference, type Place, shown } from './difference.ts';

/** A value as clients meet it: read from the shape of a model, or from the schema of a description. */
export interface ValueForm {
  /** Names of JSON types and of formats of text, without null. Null means any type. */
  readonly types: ReadonlySet<string> | null;
  readonly nullable: boolean;
  /** True if requests may send null. A description leaves it out: its requests have schemas of their own. */
  readonly acceptsNull?: boolean;
}

export const TYPE: ContainmentKinds = { narrower: 'type-narrower', wider: 'type-wider', changed: 'type-changed' };
export const VALUES: ContainmentKinds = {
  narrower: 'values-narrower',
  wider: 'values-wider',
  changed: 'values-changed',
};

/** Compares the types of two values. Numbers contain integers, and strings contain all formats of text. */
export function compareTypes(forms: Pair<ValueForm>, at: Place): Difference | null {
  const [was, is] = forms;
  const kind = compareSets([was.types, is.types], containsTypes, TYPE);
  return kind === null ? null : difference(kind, at, `the type is ${nameTypes(is)}, was ${nameTypes(was)}`);
}

const FORMATS = ['date', 'time', 'duration', 'uuid', 'email', 'uri', 'hostname', 'ipv4', 'ipv6'];

/** The types with values of further types. */
const CONTAINED: Readonly<Record<string, readonly string[]>> = { number: ['integer'], string: FORMATS };

function containsTypes(outer: ValueForm['types'], inner: ValueForm['types']): boolean {
  if (outer === null || inner === null) return outer === null;
  const contained = new Set([...outer].flatMap((type) => [type, ...(CONTAINED[type] ?? [])]));
  return inner.isSubsetOf(contained);
}

function nameTypes({ types }: ValueForm): string {
  if (types === null) return 'any';
  return types.size === 0 ? 'none' : [...types].map(shown).join(' or ');
}

/** Compares if null is a value: in requests, and in the responses if it differs there, too. */
export function compareNull([was, is]: Pair<ValueForm>, at: Place): readonly Difference[] {
  const isAllowed = is.acceptsNull ?? is.nullable;
  if ((was.acceptsNull ?? was.nullable) === isAllowed) return [];
  const here = { ...at, responses: at.responses && was.nullable !== is.nullable };
  return [
    isAllowed ? difference('null-allowed', here, 'may be null') : difference('null-refused', here, 'is never null'),
  ];
}

/** Compares two schemas or patterns of which null means none, and others contain only themselves. */
export function containsOptional(outer: string | null, inner: string | null): boolean {
  return outer === null || outer === inner;
}
