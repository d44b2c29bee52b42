import type { Model } from '../../../model/model.ts';
import type { FieldValues } from '../../../plan/plan.ts';
import { eventConversions } from '../../../versions/event-conversion.ts';
import { contractTable } from '../../../versions/row-conversion.ts';
import type { Dialect, SqlRow, Statement } from '../dialect.ts';
import { readTombstones, replaceTombstone } from '../tombstones.ts';
import type { BatchConversion, ConvertedBatch } from './event-return.ts';
import { migrateTombstone } from './record-forms.ts';
import { type ConvertedContract, convertedContract } from './conversion-plan.ts';

/** The tombstones of one read. */
const BATCH = 1_000;

/** The conversion of a resource's tombstones: policies compare the values of the newest contract (MET-4). */
class TombstoneConversion implements BatchConversion {
  readonly #resource: string;
  readonly #convert: (values: FieldValues) => FieldValues;
  readonly #dialect: Dialect;

  constructor(resource: string, convert: (values: FieldValues) => FieldValues, dialect: Dialect) {
    this.#resource = resource;
    this.#convert = convert;
    this.#dialect = dialect;
  }

  get first(): Statement {
    return this.#read('');
  }

  convert(rows: readonly SqlRow[]): ConvertedBatch {
    const last = rows.at(-1);
    const writes = rows.map(({ path = null, row = null }) => {
      const values = this.#convert(JSON.parse(String(row)));
      return replaceTombstone(this.#dialect, this.#resource, String(path), JSON.stringify(values));
    });
    return { writes, next: last === undefined || rows.length < BATCH ? null : this.#read(String(last['path'])) };
  }

  #read(after: string): Statement {
    return readTombstones(this.#dialect, this.#resource, after, BATCH);
  }
}

/** The conversions of the tombstones of a database. @param from the contract of its rows before */
export function planTombstones(model: Model, from: ConvertedContract, dialect: Dialect): readonly BatchConversion[] {
  const converted = convertedContract(model, from);
  if (converted === null) return [];
  const { newest, version } = converted;
  const isReturn = model.returnFrom !== undefined;
  const [source, target] = isReturn ? [newest.version, version.version] : [version.version, newest.version];
  const migrated =
    (convert: (values: FieldValues) => FieldValues) =>
    (values: FieldValues): FieldValues =>
      migrateTombstone(values, { source, target }, convert);
  return [...newest.resources.values()].flatMap(({ name, singular }) => {
    const conversion = eventConversions(newest)(version, singular);
    if (conversion === null) return [];
    const convert = migrated((values) =>
      isReturn ? conversion.lowerRecorded(values) : conversion.convertRecorded(values),
    );
    return [new TombstoneConversion(isReturn ? contractTable(conversion.older) : name, convert, dialect)];
  });
}
