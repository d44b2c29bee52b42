import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Model } from '../../../model/model.ts';
import { type EventConversion, eventConversions } from '../../../versions/event-conversion.ts';
import { contractTable } from '../../../versions/row-conversion.ts';
import type { Dialect, SqlRow, Statement } from '../dialect.ts';
import { prepareStatement } from '../prepare.ts';
import type { BatchConversion, ConvertedBatch } from './event-return.ts';
import { findOlderContract } from './stored-contract.ts';

/** The records of one read. */
const BATCH = 500;

const SYSTEM = ['id', 'created_at', 'updated_at', 'revision'] as const;

/** The resource that a row has by now, and its values. */
interface ConvertedResource {
  readonly name: string;
  readonly convert: (row: JsonObject) => JsonObject;
}

/** Converts the rows in idempotency records, so that a replay is the answer of the first request (MET-12). */
class RecordConversion implements BatchConversion {
  readonly #resources: ReadonlyMap<string, ConvertedResource>;
  readonly #dialect: Dialect;

  constructor(resources: ReadonlyMap<string, ConvertedResource>, dialect: Dialect) {
    this.#resources = resources;
    this.#dialect = dialect;
  }

  get first(): Statement {
    return this.#read('');
  }

  convert(rows: readonly SqlRow[]): ConvertedBatch {
    const replace = prepareStatement(this.#dialect, 'update restwright_memos set outcome = ? where name = ?');
    const writes = rows.map(({ name = null, outcome = null }) =>
      replace(JSON.stringify(this.#convertOutcome(JSON.parse(String(outcome)))), String(name)),
    );
    const last = rows.at(-1);
    return { writes, next: last === undefined || rows.length < BATCH ? null : this.#read(String(last['name'])) };
  }

  #read(after: string): Statement {
    const text = 'select name, outcome from restwright_memos where name > ? order by name limit ?';
    return prepareStatement(this.#dialect, text)(after, BATCH);
  }

  /** The result of a write, or an object that contains some. */
  #convertOutcome(outcome: Json): Json {
    if (Array.isArray(outcome)) return outcome.map((each) => this.#convertOutcome(each));
    if (!isJsonObject(outcome)) return outcome;
    const { resource, row, within } = outcome;
    if (typeof resource !== 'string' || !isJsonObject(row ?? null) || !Array.isArray(within)) {
      const members = Object.entries(outcome).map(([name, each]) => [name, this.#convertOutcome(each)]);
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

  #renameAbove(above: Json): Json {
    if (!isJsonObject(above) || typeof above['resource'] !== 'string') return above;
    return { ...above, resource: this.#resources.get(above['resource'])?.name ?? above['resource'] };
  }
}

/** The conversion of the idempotency records of a database. @param from the version of its rows before, or null */
export function planRecords(model: Model, from: string | null, dialect: Dialect): readonly BatchConversion[] {
  if (from === null) return [];
  const { newest, version } = model.returnFrom ?? { newest: model, version: findOlderContract(model, from) };
  if (version === null) return [];
  const isReturn = model.returnFrom !== undefined;
  const resources = [...newest.resources.values()].flatMap(
    ({ name, singular }): readonly (readonly [string, ConvertedResource])[] => {
      const conversion = eventConversions(newest)(version, singular);
      if (conversion === null) return [];
      const table = contractTable(conversion.older);
      const convert = (row: JsonObject): JsonObject => convertRow(row, conversion, isReturn);
      return [isReturn ? [name, { name: table, convert }] : [table, { name, convert }]];
    },
  );
  return [new RecordConversion(new Map(resources), dialect)];
}

function convertRow(row: JsonObject, conversion: EventConversion, isReturn: boolean): JsonObject {
  const system = SYSTEM.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]] as const]));
  const values = isReturn ? conversion.lowerRecorded(row) : conversion.convertRow(row);
  return { ...values, ...Object.fromEntries(system) };
}
