import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { TextFacts } from './text-facts.ts';

/** An object with more different members is a map. */
const MAX_MEMBERS = 200;
/** Values below this level are imported as JSON text. */
const MAX_DEPTH = 16;

type Kind = 'boolean' | 'integer' | 'number' | 'text' | 'cell' | 'array' | 'object' | 'deep';

/**
 * The facts that hold for all values of a field. Its size depends on the structure of the data, not on the number of
 * rows.
 */
export class ValueFacts {
  readonly #level: number;
  /** The number of values, null included. */
  count = 0;
  nulls = 0;
  readonly kinds = new Set<Kind>();
  readonly text = new TextFacts();
  /** The items of arrays; null where all are empty. */
  items: ValueFacts | null = null;
  /** The number of objects. */
  objects = 0;
  /** The members of objects, in the order in which they appear; empty for a map. */
  readonly members = new Map<string, ValueFacts>();
  /** The values of a map: of an object with more members than a field list should have. */
  values: ValueFacts | null = null;

  constructor(level = 0) {
    this.#level = level;
  }

  observe(value: Json): void {
    this.count += 1;
    if (value === null) this.nulls += 1;
    else if (typeof value === 'string') this.#addText(value);
    else if (typeof value === 'boolean') this.kinds.add('boolean');
    else if (typeof value === 'number') this.kinds.add(Number.isSafeInteger(value) ? 'integer' : 'number');
    else if (this.#level === MAX_DEPTH) this.kinds.add('deep');
    else if (Array.isArray(value)) this.#addItems(value);
    else if (isJsonObject(value)) this.#addObject(value);
  }

  /** Observes a cell of CSV; null for an empty one. */
  observeCell(cell: string | null): void {
    this.count += 1;
    if (cell === null) {
      this.nulls += 1;
      return;
    }
    this.kinds.add('cell');
    this.text.observe(cell);
  }

  /** Adds what another field's values have in common. */
  merge(other: ValueFacts): void {
    this.count += other.count;
    this.nulls += other.nulls;
    for (const kind of other.kinds) this.kinds.add(kind);
    this.text.merge(other.text);
    if (other.items !== null) {
      this.items ??= new ValueFacts(this.#level + 1);
      this.items.merge(other.items);
    }
    this.objects += other.objects;
    for (const [name, member] of other.members) this.#member(name).merge(member);
    if (other.values !== null) this.#asMap().merge(other.values);
  }

  /** All values of the members, of a map or of an object. */
  mergedValues(): ValueFacts {
    const merged = new ValueFacts(this.#level + 1);
    if (this.values !== null) merged.merge(this.values);
    for (const member of this.members.values()) merged.merge(member);
    return merged;
  }

  #addText(text: string): void {
    this.kinds.add('text');
    this.text.observe(text);
  }

  #addItems(items: readonly Json[]): void {
    this.kinds.add('array');
    if (items.length === 0) return;
    this.items ??= new ValueFacts(this.#level + 1);
    for (const item of items) this.items.observe(item);
  }

  #addObject(object: JsonObject): void {
    this.kinds.add('object');
    this.objects += 1;
    for (const [name, value] of Object.entries(object)) this.#member(name).observe(value);
  }

  /** The facts of a member, or those of all values of a map. */
  #member(name: string): ValueFacts {
    if (this.values !== null) return this.values;
    const known = this.members.get(name);
    if (known !== undefined) return known;
    if (this.members.size === MAX_MEMBERS) return this.#asMap();
    const member = new ValueFacts(this.#level + 1);
    this.members.set(name, member);
    return member;
  }

  #asMap(): ValueFacts {
    if (this.values === null) {
      this.values = this.mergedValues();
      this.members.clear();
    }
    return this.values;
  }
}
