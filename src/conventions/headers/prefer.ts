import { QUOTED_STRING, TOKEN, unescapeQuoted } from './field-syntax.ts';

/** The preferences of a caller (RFC 7240) that this API supports; null if not sent or unknown. */
export interface Preferences {
  readonly handling: 'strict' | 'lenient' | null;
  readonly return: 'minimal' | 'representation' | null;
}

/** A preference that was applied, as in `Preference-Applied`. */
type AppliedPreference = `handling=${'strict' | 'lenient'}` | `return=${'minimal' | 'representation'}`;

const NONE: Preferences = Object.freeze({ handling: null, return: null });

const VALUE = `(?:[\\t ]*=[\\t ]*(?:(${TOKEN})|${QUOTED_STRING}))?`;
/**
 * A list element with its comma: name, value as a token or quoted, end. Parameters are skipped. Whitespace matches in
 * exactly one way, so that any value takes linear time.
 */
const ELEMENT = new RegExp(
  `[\\t ]*(?:(${TOKEN})${VALUE}(?:[\\t ]*;(?:[\\t ]*${TOKEN}${VALUE})?)*[\\t ]*)?(?<end>,|$)`,
  'y',
);

/**
 * Reads `Prefer` (RFC 7240 2). If a preference is repeated, the first one counts, even if its value is unknown. An
 * invalid field is read up to the error: preferences never cause one.
 */
export function readPrefer(text: string | null): Preferences {
  if (text === null) return NONE;
  const values = new Map<string, string>();
  ELEMENT.lastIndex = 0;
  for (let element = ELEMENT.exec(text); element !== null; element = ELEMENT.exec(text)) {
    const [, name, token, quoted = ''] = element;
    if (name !== undefined && !values.has(name.toLowerCase())) {
      values.set(name.toLowerCase(), token ?? unescapeQuoted(quoted));
    }
    if (element.groups?.['end'] !== ',') break;
  }
  return { handling: knownValue(values.get('handling'), HANDLING), return: knownValue(values.get('return'), RETURN) };
}

/** The value of `Preference-Applied` (RFC 7240 3); null, so that the field is omitted, if nothing was applied. */
export function preferenceApplied(applied: readonly AppliedPreference[]): string | null {
  return applied.length === 0 ? null : applied.join(', ');
}

const HANDLING = ['strict', 'lenient'] as const;
const RETURN = ['minimal', 'representation'] as const;

function knownValue<T extends string>(value: string | undefined, values: readonly T[]): T | null {
  return values.find((candidate) => candidate === value) ?? null;
}
