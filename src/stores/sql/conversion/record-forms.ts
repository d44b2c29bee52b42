import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Model, OlderVersion } from '../../../model/model.ts';
import type { FieldValues } from '../../../plan/plan.ts';
import { type EventConversion, eventConversions } from '../../../versions/event-conversion.ts';
import { contractTable } from '../../../versions/row-conversion.ts';

const SYSTEM = ['id', 'created_at', 'updated_at', 'revision'] as const;

/**
 * Precedes the version in the name of a member of a record. The member is the record as the model of that version has
 * it, or `true` if the record itself is. No other member begins with a space.
 */
const MARK = ' ';

interface Version {
  readonly major: number;
  readonly minor: number;
}

/** A record whose form is known. */
interface MarkedForm {
  readonly version: Version;
  /** Null where the record has this form itself. */
  readonly form: JsonObject | null;
}

function findForm(record: JsonObject): MarkedForm | null {
  for (const [name, form = null] of Object.entries(record)) {
    if (!name.startsWith(MARK)) continue;
    const [major = 0, minor = 0] = name.slice(MARK.length).split('.').map(Number);
    return { version: { major, minor }, form: isJsonObject(form) ? form : null };
  }
  return null;
}

function withoutForm(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith(MARK)));
}

/**
 * Reads a record as a model has it. Instances of a newer model write records for the older one, next to their own form
 * (VER-5d).
 *
 * @returns null where it has none: it was written by an older model
 */
function ownForm(record: JsonObject, { major, minor }: Version): JsonObject | null {
  const found = findForm(record);
  if (found === null || found.version.major > major || (found.version.major === major && found.version.minor > minor))
    return null;
  return found.form ?? withoutForm(record);
}

function markForm(record: JsonObject, { major, minor }: Version, form: JsonObject | true): JsonObject {
  return { ...record, [`${MARK}${major}.${minor}`]: form };
}

/** The resource that a row has in another contract, and its values. */
interface ConvertedResource {
  readonly name: string;
  readonly convert: (row: JsonObject) => JsonObject;
}

/** Converts the outcomes of idempotency records: the results of writes, and objects that contain some. */
export class OutcomeConversion {
  readonly #resources: ReadonlyMap<string, ConvertedResource>;

  /** @param isReturn true for the way back to the older contract */
  constructor(newest: Model, version: OlderVersion, isReturn: boolean) {
    const resources = [...newest.resources.values()].flatMap(
      ({ name, singular }): readonly (readonly [string, ConvertedResource])[] => {
        const conversion = eventConversions(newest)(version, singular);
        if (conversion === null) return [];
        const table = contractTable(conversion.older);
        const convert = (row: JsonObject): JsonObject => convertRow(row, conversion, isReturn);
        return [isReturn ? [name, { name: table, convert }] : [table, { name, convert }]];
      },
    );
    this.#resources = new Map(resources);
  }

  convert(outcome: Json): Json {
    if (Array.isArray(outcome)) return outcome.map((each) => this.convert(each));
    if (!isJsonObject(outcome)) return outcome;
    const { resource, row, within, results } = outcome;
    if (Array.isArray(results)) return { ...outcome, results: results.map((each: Json) => this.#convertResult(each)) };
    if (typeof resource !== 'string' || !isJsonObject(row ?? null) || !Array.isArray(within)) {
      const members = Object.entries(outcome).map(([name, each]) => [name, this.convert(each)]);
      return Object.fromEntries(members);
    }
    const converted = this.#resources.get(resource);
    return {
      ...outcome,
      resource: converted?.name ?? resource,
      row: isJsonObject(row) && converted !== undefined ? converted.convert(row) : (row ?? null),
      within: within.map((above: Json) => this.#renameAbove(above)),
    };
  }

  /** Results of a batch are strings of JSON. */
  #convertResult(result: Json): Json {
    return typeof result === 'string' ? JSON.stringify(this.convert(JSON.parse(result))) : this.convert(result);
  }

  #renameAbove(above: Json): Json {
    if (!isJsonObject(above) || typeof above['resource'] !== 'string') return above;
    return { ...above, resource: this.#resources.get(above['resource'])?.name ?? above['resource'] };
  }
}

function convertRow(row: JsonObject, conversion: EventConversion, isReturn: boolean): JsonObject {
  const system = SYSTEM.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]] as const]));
  const values = isReturn ? conversion.lowerRecorded(row) : conversion.convertRow(row);
  return { ...values, ...Object.fromEntries(system) };
}

interface FormChange {
  readonly source: Version;
  readonly target: Version;
}

/** Converts a record of one model to another one, unless instances of the other one have written it. */
function convertForm(
  record: JsonObject,
  { source, target }: FormChange,
  convert: (record: JsonObject) => JsonObject,
): JsonObject {
  const before = ownForm(record, source);
  const own = before === null ? ownForm(record, target) : null;
  return own ?? convert(before ?? withoutForm(record));
}

/** Converts a record in a migration, and notes its form. */
export function migrateRecord(
  record: JsonObject,
  change: FormChange,
  convert: (record: JsonObject) => JsonObject,
): JsonObject {
  return markForm(convertForm(record, change, convert), change.target, true);
}

/** Converts a tombstone in a migration. Values of related rows are recorded once, next to both forms. */
export function migrateTombstone(
  values: FieldValues,
  change: FormChange,
  convert: (values: FieldValues) => FieldValues,
): FieldValues {
  const found = findForm(values);
  const related = (found?.form ?? null) === null ? {} : withoutForm(values);
  return { ...related, ...migrateRecord(values, change, convert) };
}

/** @param conversion undefined for none */
export function convertObject(record: JsonObject, conversion: OutcomeConversion | undefined): JsonObject {
  const converted = conversion?.convert(record) ?? record;
  return isJsonObject(converted) ? converted : record;
}

/** The forms in which a store reads and writes idempotency records and tombstones. */
export class RecordForms {
  /** The contract of an older model that is served next to it; null for none. */
  readonly older: OlderVersion | null;
  readonly #model: Model;
  readonly #outcomes: { readonly up: OutcomeConversion; readonly down: OutcomeConversion } | null;

  /** @param older the contract of an older model that is served next to it; null for none */
  constructor(model: Model, older: OlderVersion | null) {
    this.#model = model;
    this.older = older;
    this.#outcomes =
      older === null
        ? null
        : { up: new OutcomeConversion(model, older, false), down: new OutcomeConversion(model, older, true) };
  }

  /** @param json the outcome of an idempotency record */
  writeOutcome(json: string): string {
    if (this.#outcomes === null) return json;
    const outcome: Json = JSON.parse(json);
    if (!isJsonObject(outcome)) return json;
    const lowered = convertObject(outcome, this.#outcomes.down);
    return JSON.stringify(markForm(lowered, this.#model.version, outcome));
  }

  readOutcome(json: string): string {
    if (this.#outcomes === null && !json.includes(`"${MARK}`)) return json;
    const outcome: Json = JSON.parse(json);
    if (!isJsonObject(outcome)) return json;
    const { up } = this.#outcomes ?? {};
    return JSON.stringify(this.#read(outcome, (record) => convertObject(record, up)));
  }

  /** @param values the recorded values of a row that is deleted */
  writeTombstone(resource: string, values: FieldValues): FieldValues {
    const conversion = this.#conversion(resource);
    return conversion === null ? values : markForm(conversion.lowerRecorded(values), this.#model.version, values);
  }

  readTombstone(resource: string, values: FieldValues): FieldValues {
    const conversion = this.#conversion(resource);
    const read = this.#read(values, (record) => conversion?.convertRecorded(record) ?? record);
    // Values of related rows are recorded once, next to both forms.
    return { ...withoutForm(values), ...read };
  }

  #read(record: JsonObject, convert: (record: JsonObject) => JsonObject): JsonObject {
    const target = this.#model.version;
    if (this.older === null) return ownForm(record, target) ?? withoutForm(record);
    return convertForm(record, { source: this.older.version, target }, convert);
  }

  #conversion(resource: string): EventConversion | null {
    const { singular = null } = this.#model.resources.get(resource) ?? {};
    return this.older === null || singular === null ? null : eventConversions(this.#model)(this.older, singular);
  }
}
