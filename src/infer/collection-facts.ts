import type { Json, JsonObject } from '../conventions/json/json.ts';
import { snakeName } from './field-name.ts';
import { IdFacts, readDataId, type RowPlace } from './id-facts.ts';
import { ValueFacts } from './value-facts.ts';

/** A row of the data: an object of JSON, or the cells of CSV by column. */
export type SourceRow =
  | { readonly kind: 'object'; readonly members: JsonObject }
  | { readonly kind: 'cells'; readonly cells: ReadonlyMap<string, string | null> };

/** Memory for the different values of a field that may be a reference: with a name that says so, and with any other. */
const MAX_REFERENCES = { named: 500_000, other: 10_000 };

/** The ids that a field of the data may refer to. */
export class ReferenceFacts {
  /** The different values; null where they are too many, or where one cannot be an id. */
  ids: Set<string> | null;
  /** True if each value is the id of an earlier row of the same collection, or of the row itself. */
  isEarlierRow = true;
  readonly #max: number;

  /** @param max the number of different values to keep */
  constructor(max: number) {
    this.ids = max === 0 ? null : new Set();
    this.#max = max;
  }

  observe(value: Json, own: Json | undefined, ids: IdFacts | undefined): void {
    if (value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.observe(item === null ? '' : item, own, ids);
      return;
    }
    const id = readDataId(value);
    if (id === null) {
      this.ids = null;
      this.isEarlierRow = false;
      return;
    }
    this.isEarlierRow &&= ids?.has(id) === true || id === (own === undefined || own === null ? null : readDataId(own));
    if (this.ids !== null && this.ids.add(id).size > this.#max) this.ids = null;
  }
}

/** The facts that hold for all rows of a collection. */
export class CollectionFacts {
  /** Its name in the data. */
  readonly source: string;
  readonly isAlone: boolean;
  readonly isSingle: boolean;
  rows = 0;
  readonly members = new Map<string, ValueFacts>();
  /** The members that may be the id, by name in the data. */
  readonly ids = new Map<string, IdFacts>();
  /** The members that may be references, by name in the data. */
  readonly references = new Map<string, ReferenceFacts>();
  readonly #isId = new Map<string, boolean>();
  #first: RowPlace | null = null;

  /**
   * @param form isAlone: whether the data has no other collection, to which its rows could refer. isSingle: whether it
   *   is one object, and no list
   */
  constructor(
    source: string,
    { isAlone, isSingle = false }: { readonly isAlone: boolean; readonly isSingle?: boolean },
  ) {
    this.source = source;
    this.isAlone = isAlone;
    this.isSingle = isSingle;
  }

  /** Adds members that rows may have, such as the columns of CSV. */
  declare(names: readonly string[]): void {
    for (const name of names) this.#member(name);
  }

  observe(row: SourceRow, line: number): void {
    this.rows += 1;
    const place = { line, row: this.rows };
    this.#first ??= place;
    if (row.kind === 'cells') {
      for (const [column, cell] of row.cells) this.#member(column).observeCell(cell);
      this.#observeKeys(row.cells, place);
    } else {
      const members = new Map(Object.entries(row.members));
      for (const [name, value] of members) this.#member(name).observe(value);
      this.#observeKeys(members, place);
    }
  }

  #member(name: string): ValueFacts {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    const member = new ValueFacts();
    this.members.set(name, member);
    this.#isId.set(name, snakeName(name) === 'id');
    return member;
  }

  #observeKeys(values: ReadonlyMap<string, Json>, place: RowPlace): void {
    for (const name of values.keys()) {
      if (this.#isId.get(name) !== true || this.ids.has(name)) continue;
      const facts = new IdFacts();
      if (place.row > 1) facts.missing = this.#first;
      this.ids.set(name, facts);
    }
    const [[idName = '', ids] = []] = this.ids;
    const own = values.get(idName);
    for (const [name, value] of values) {
      if (this.#isId.get(name) !== true) this.#observeReference(name, value, own, ids);
    }
    for (const [name, facts] of this.ids) facts.observe(values.get(name), place);
  }

  #observeReference(name: string, value: Json, own: Json | undefined, ids: IdFacts | undefined): void {
    const known = this.references.get(name);
    if (known === undefined) {
      const facts = new ReferenceFacts(this.isAlone ? 0 : MAX_REFERENCES[/id(?:s|)$/i.test(name) ? 'named' : 'other']);
      this.references.set(name, facts);
      facts.observe(value, own, ids);
    } else if (known.ids !== null || known.isEarlierRow) known.observe(value, own, ids);
  }
}
