import { QUOTED_STRING, TOKEN, unescapeQuoted } from './field-syntax.ts';

/** What a caller prefers (RFC 7240), as far as this API knows it; null where it prefers nothing that is known. */
export interface Preferences {
  readonly handling: 'strict' | 'lenient' | null;
  readonly return: 'minimal' | 'representation' | null;
}

/** A preference that was obeyed, as `Preference-Applied` names it. */
export type AppliedPreference = `handling=${'strict' | 'lenient'}` | `return=${'minimal' | 'representation'}`;

const NONE: Preferences = Object.freeze({ handling: null, return: null });

const VALUE = `(?:[\\t ]*=[\\t ]*(?:(${TOKEN})|${QUOTED_STRING}))?`;
/**
 * One element of the list with its comma: name, value as a token, value in quotes, what ends it. Parameters are passed over. Blanks can be
 * read in one way alone, as in lists of tags.
 */
const ELEMENT = new RegExp(
  `[\\t ]*(?:(${TOKEN})${VALUE}(?:[\\t ]*;(?:[\\t ]*${TOKEN}${VALUE})?)*[\\t ]*)?(?<end>,|$)`,
  'y',
);

/**
 * The value of `Prefer` (RFC 7240 2). Of a preference given twice the first counts, even where its value is unknown. A field
 * that cannot be read is obeyed as far as it can: preferences are never an error.
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

/** The value of `Preference-Applied` (RFC 7240 3); null where nothing was applied and the field stays out. */
export function preferenceApplied(applied: readonly AppliedPreference[]): string | null {
  return applied.length === 0 ? null : applied.join(', ');
}

const HANDLING = ['strict', 'lenient'] as const;
const RETURN = ['minimal', 'representation'] as const;

function knownValue<T extends string>(value: string | undefined, values: readonly T[]): T | null {
  return values.find((candidate) => candidate === value) ?? null;
}
