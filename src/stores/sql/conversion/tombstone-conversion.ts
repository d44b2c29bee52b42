import type { Model } from '../../../model/model.ts';
import { type EventConversion, eventConversions } from '../../../versions/event-conversion.ts';
import type { Dialect, SqlRow, Statement } from '../dialect.ts';
import { readTombstones, replaceTombstone } from '../tombstones.ts';
import { findOlderContract } from './stored-contract.ts';

/** The tombstones of one read. */
const BATCH = 1_000;

/** The conversion of a resource's tombstones: policies compare the values of the newest contract (MET-4). */
export class TombstoneConversion {
  readonly #resource: string;
  readonly #conversion: EventConversion;
  readonly #dialect: Dialect;

  constructor(resource: string, conversion: EventConversion, dialect: Dialect) {
    this.#resource = resource;
    this.#conversion = conversion;
    this.#dialect = dialect;
  }

  /** The first read. */
  get first(): Statement {
    return this.#read('');
  }

  /** Converts the rows of a read. @returns the writes, and the next read; null after the last one */
  convert(rows: readonly SqlRow[]): { readonly writes: readonly Statement[]; readonly next: Statement | null } {
    const last = rows.at(-1);
    const writes = rows.map(({ path = null, row = null }) => {
      const values = this.#conversion.convertRecorded(JSON.parse(String(row)));
      return replaceTombstone(this.#dialect, this.#resource, String(path), JSON.stringify(values));
    });
    return { writes, next: last === undefined || rows.length < BATCH ? null : this.#read(String(last['path'])) };
  }

  #read(after: string): Statement {
    return readTombstones(this.#dialect, this.#resource, after, BATCH);
  }
}

/** The conversions of the tombstones of a database. @param from the version of the older contract; null for none */
export function planTombstones(model: Model, from: string | null, dialect: Dialect): readonly TombstoneConversion[] {
  const version = from === null ? null : findOlderContract(model, from);
  if (version === null) return [];
  return [...model.resources.values()].flatMap(({ name, singular }) => {
    const conversion = eventConversions(model)(version, singular);
    return conversion === null ? [] : [new TombstoneConversion(name, conversion, dialect)];
  });
}
