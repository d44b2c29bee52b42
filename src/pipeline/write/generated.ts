import type { JsonObject, Json } from '../../conventions/json.ts';
import type { Field, Resource } from '../../model/model.ts';
import type { FieldValues } from '../../plan/plan.ts';
import { secretDigest } from '../../platform/digest.ts';
import type { Sources } from '../services.ts';

/** The values of a new row with those that the server makes. */
interface GeneratedValues {
  /** What is stored: the digest of a secret that is shown once. */
  readonly values: FieldValues;
  /** The secrets that are shown once; null where there are none. */
  readonly shown: JsonObject | null;
}

/** Characters of a secret, after its prefix, that its hint shows. */
const HINT = 8;
/** Bytes of a secret: 256 bits. */
const SECRET_BYTES = 32;

/** Makes the generated values of a new row. @param at the time of the write, RFC 3339 */
export function generateValues(
  { fields }: Resource,
  given: FieldValues,
  at: string,
  sources: Pick<Sources, 'uuid' | 'randomHex'>,
): GeneratedValues {
  if (fields.every(({ generator }) => generator === null)) return { values: given, shown: null };
  const values: Record<string, Json> = { ...given };
  const shown: Record<string, Json> = {};
  for (const { name, generator, shownOnce } of fields) {
    switch (generator?.kind) {
      case undefined:
      case 'hint':
        break;
      case 'uuid':
        values[name] = sources.uuid();
        break;
      case 'now':
        values[name] = at;
        break;
      case 'secret': {
        const secret = `${generator.prefix}${base64Url(sources.randomHex(SECRET_BYTES))}`;
        for (const hint of hintsOf(fields, name)) values[hint] = secret.slice(0, generator.prefix.length + HINT);
        values[name] = shownOnce ? secretDigest(secret) : secret;
        if (shownOnce) shown[name] = secret;
      }
    }
  }
  return { values, shown: Object.keys(shown).length === 0 ? null : shown };
}

function hintsOf(fields: readonly Field[], secret: string): readonly string[] {
  return fields.flatMap(({ name, generator }) =>
    generator?.kind === 'hint' && generator.secret === secret ? [name] : [],
  );
}

function base64Url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}
