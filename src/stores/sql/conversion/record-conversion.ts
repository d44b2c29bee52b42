import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { Model } from '../../../model/model.ts';
import type { Dialect, SqlRow, Statement } from '../dialect.ts';
import { prepareStatement } from '../prepare.ts';
import type { BatchConversion, ConvertedBatch } from './event-return.ts';
import { convertObject, migrateRecord, OutcomeConversion } from './record-forms.ts';
import { type ConvertedContract, convertedContract } from './conversion-plan.ts';

/** The records of one read. */
const BATCH = 500;

/** Converts the rows in idempotency records, so that a replay is the answer of the first request (MET-12). */
class RecordConversion implements BatchConversion {
  readonly #convert: (outcome: Json) => Json;
  readonly #dialect: Dialect;

  constructor(convert: (outcome: Json) => Json, dialect: Dialect) {
    this.#convert = convert;
    this.#dialect = dialect;
  }

  get first(): Statement {
    return this.#read('');
  }

  convert(rows: readonly SqlRow[]): ConvertedBatch {
    const replace = prepareStatement(this.#dialect, 'update restwright_memos set outcome = ? where name = ?');
    const writes = rows.map(({ name = null, outcome = null }) =>
      replace(JSON.stringify(this.#convert(JSON.parse(String(outcome)))), String(name)),
    );
    const last = rows.at(-1);
    return { writes, next: last === undefined || rows.length < BATCH ? null : this.#read(String(last['name'])) };
  }

  #read(after: string): Statement {
    const text = 'select name, outcome from restwright_memos where name > ? order by name limit ?';
    return prepareStatement(this.#dialect, text)(after, BATCH);
  }
}

/** The conversion of the idempotency records of a database. @param from the contract of its rows before */
export function planRecords(model: Model, from: ConvertedContract, dialect: Dialect): readonly BatchConversion[] {
  const converted = convertedContract(model, from);
  if (converted === null) return [];
  const { newest, version } = converted;
  const isReturn = model.returnFrom !== undefined;
  const outcomes = new OutcomeConversion(newest, version, isReturn);
  const [source, target] = isReturn ? [newest.version, version.version] : [version.version, newest.version];
  const convert = (outcome: Json): Json =>
    isJsonObject(outcome)
      ? migrateRecord(outcome, { source, target }, (record) => convertObject(record, outcomes))
      : outcome;
  return [new RecordConversion(convert, dialect)];
}
