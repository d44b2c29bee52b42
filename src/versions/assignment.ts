import { isJsonObject, type Json } from '../conventions/json.ts';
import type { FieldValues } from '../plan/plan.ts';
import { type Conversion, mapped, type Source, valueOf } from './sources.ts';

/** Values of stored fields that are made of those of an older contract. */
export class Assignment {
  /** Of fields that no value was written to: those of the row; absent in a new one. */
  readonly values: Record<string, Json>;
  readonly #current: FieldValues;
  /** The parts that are given of conversions, which need all of them. */
  #pending = new Map<Conversion, Record<string, Json>>();

  /** @param current the stored values; of a new row, those that its contract cannot send */
  constructor(current: FieldValues) {
    this.#current = current;
    this.values = { ...current };
  }

  /** Writes a value to where it comes from. Nothing is written for a constant. */
  write(source: Source, value: Json): void {
    switch (source.kind) {
      case 'field':
        this.values[source.name] = value;
        return;
      case 'constant':
        return;
      case 'values':
        this.write(source.of, mapped(value, source.change.up));
        return;
      case 'member':
        this.#writeMember(source, value);
        return;
      case 'object':
        this.#writeObject(source, value);
        return;
      case 'converted': {
        const parts = this.#pending.get(source.conversion) ?? {};
        this.#pending.set(source.conversion, { ...parts, [source.name]: value });
      }
    }
  }

  /** Converts what was given, with the current values of what was not. */
  finish(): FieldValues {
    while (this.#pending.size > 0) {
      const pending = this.#pending;
      this.#pending = new Map();
      for (const [conversion, parts] of pending) this.#convert(conversion, parts);
    }
    return this.values;
  }

  #convert(conversion: Conversion, parts: Readonly<Record<string, Json>>): void {
    const { change, inputs } = conversion;
    const all = change.from.map((name): readonly [string, Json] => [
      name,
      parts[name] ??
        (Object.hasOwn(parts, name) ? null : valueOf({ kind: 'converted', conversion, name }, this.#current)),
    ]);
    const made = change.up(Object.fromEntries(all));
    for (const [name, source] of inputs) this.write(source, made[name] ?? null);
  }

  #writeMember({ of, name }: Extract<Source, { kind: 'member' }>, value: Json): void {
    const object = valueOf(of, this.values);
    // An object is not set only to hold an unset member.
    if (value === null && !isJsonObject(object)) return;
    this.write(of, { ...(isJsonObject(object) ? object : {}), [name]: value });
  }

  /** What was moved into the object goes back; what was moved out of it stays as it is. */
  #writeObject({ of, members }: Extract<Source, { kind: 'object' }>, value: Json): void {
    const given = isJsonObject(value) ? value : {};
    if (of !== null) {
      const before = valueOf(of, this.values);
      const own = Object.entries(given).filter(([name]) => !members.has(name));
      const kept = isJsonObject(before) ? Object.entries(before).filter(([name]) => members.has(name)) : [];
      const isUnset = !isJsonObject(value) && kept.every(([, each]) => each === null);
      this.write(of, isUnset ? null : Object.fromEntries([...own, ...kept]));
    }
    for (const [name, source] of members) if (source !== null) this.write(source, given[name] ?? null);
  }
}
