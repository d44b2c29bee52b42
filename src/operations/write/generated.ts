import type { JsonObject, Json } from '../../conventions/json/json.ts';
import type { Field, Resource } from '../../model/model.ts';
import type { WriteContext } from '../../model/hooks.ts';
import { returnedJson } from '../../model/values/returned-json.ts';
import type { FieldValues } from '../../plan/plan.ts';
import { secretDigest } from '../../platform/digest.ts';
import { chain, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Sources } from '../sources.ts';
import { errorList } from './refine.ts';

/** The values of a new row with those that the server makes. */
interface GeneratedValues {
  /** The stored values, with the digest of a secret that is shown once. */
  readonly values: FieldValues;
  /** The secrets that are shown once; null if there are none. */
  readonly shown: JsonObject | null;
}

/** Inputs of generators that are no functions of the model. */
interface DataInputs {
  /** The time of the write, RFC 3339. */
  readonly at: string;
  readonly sources: Pick<Sources, 'uuid' | 'randomHex' | 'seal'>;
}

interface GeneratorInputs extends DataInputs {
  /** Makes the context of the functions of a TypeScript model. Called only if there is one. */
  readonly context: () => WriteContext;
}

/** Characters of a secret, after its prefix, that its hint shows. */
const HINT = 8;
/** Bytes of a secret: 256 bits. */
const SECRET_BYTES = 32;

/**
 * Makes the generated values of a new row: in this tick unless a function of the model returns a promise.
 *
 * @throws {Error} if a function returns what the schema of its field does not allow: an error of the application
 */
export function generateValues(
  compiled: CompiledResource,
  given: FieldValues,
  inputs: GeneratorInputs,
): MaybePromise<GeneratedValues> {
  const { fields } = compiled.resource;
  if (fields.every(({ generator }) => generator === null)) return { values: given, shown: null };
  const coded = returnedValues(compiled.resource, inputs.context);
  if (coded === null) return withData(fields, given, inputs);
  return chain(coded, (returned) => withData(fields, valid(compiled, given, returned), inputs));
}

/**
 * Makes the generated values that an imported row lacks. No function of the model runs. No secret that is shown once is
 * made, because no one would ever see it.
 *
 * @param missing the fields that the file does not have
 */
export function generateMissing(missing: readonly Field[], given: FieldValues, inputs: DataInputs): FieldValues {
  const made = missing.filter(({ generator, shownOnce }) => generator !== null && !shownOnce);
  return made.length === 0 ? given : withData(made, given, inputs).values;
}

/**
 * Calls the functions of the model one after another: they may write, and writes keep their order.
 *
 * @returns null where there is none
 */
function returnedValues({ fields }: Resource, context: GeneratorInputs['context']): MaybePromise<JsonObject> | null {
  let made: MaybePromise<JsonObject> | null = null;
  for (const { name, generator } of fields) {
    if (generator?.kind !== 'code') continue;
    made = chain(made ?? {}, (before) =>
      chain(settled(generator.generate(context())), (value) => ({ ...before, [name]: toJson(name, value) })),
    );
  }
  return made;
}

/** Waits for every thenable, as `await` does, and for nothing else. */
function settled(value: unknown): unknown {
  const waits = typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
  return waits ? Promise.resolve(value) : value;
}

function toJson(name: string, value: unknown): Json {
  if (value !== undefined) return returnedJson(value);
  throw new TypeError(`the function that generates ${name} returned undefined; return a value, or null for none`);
}

/** @throws {Error} */
function valid({ resource, validator }: CompiledResource, given: FieldValues, returned: JsonObject): FieldValues {
  const checked = validator.check({ ...given, ...returned }, { unknown: 'refuse', texts: 'unchecked' });
  if (checked.kind === 'valid') return checked.values;
  throw new Error(
    `a function in generated of ${resource.name} returned a value that the schema does not allow: ${errorList(checked.details)}`,
  );
}

function withData(fields: readonly Field[], given: FieldValues, { at, sources }: DataInputs): GeneratedValues {
  const values: Record<string, Json> = { ...given };
  const shown: Record<string, Json> = {};
  for (const { name, generator, shownOnce } of fields) {
    switch (generator?.kind) {
      case undefined:
      case 'code':
      case 'hint':
        break;
      case 'uuid':
        values[name] = sources.uuid();
        break;
      case 'now':
        values[name] = at;
        break;
      case 'secret': {
        const random = Buffer.from(sources.randomHex(SECRET_BYTES), 'hex');
        // A sealed key, which is used rather than compared, is base64, as Standard Webhooks writes it.
        const text = random.toString(generator.sealed === true ? 'base64' : 'base64url');
        const secret = `${generator.prefix}${text}`;
        for (const hint of selectHints(fields, name)) values[hint] = secret.slice(0, generator.prefix.length + HINT);
        const digested = shownOnce ? secretDigest(secret) : secret;
        values[name] = generator.sealed === true ? sources.seal(secret) : digested;
        if (shownOnce) shown[name] = secret;
      }
    }
  }
  return { values, shown: Object.keys(shown).length === 0 ? null : shown };
}

function selectHints(fields: readonly Field[], secret: string): readonly string[] {
  return fields.flatMap(({ name, generator }) =>
    generator?.kind === 'hint' && generator.secret === secret ? [name] : [],
  );
}
