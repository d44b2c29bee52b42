import { isJsonObject, type Json } from '../conventions/json/json.ts';
import { jsonEquals } from '../conventions/json/json-equality.ts';
import type { FieldValues } from '../plan/plan.ts';
import { type Conversion, mapped, type Source, evaluateSource } from './sources.ts';

/** Values of stored fields that are made of those of an older contract. */
export class Assignment {
  /** The values of the row for fields that were not written; absent in a new one. */
  readonly values: Record<string, Json>;
  readonly #current: FieldValues;
  readonly #isNew: boolean;
  /** The parts of conversions that are written. */
  readonly #parts = new Map<Conversion, Readonly<Record<string, Json>>>();
  /** Conversions of which a part was written since they were run. */
  #pending = new Set<Conversion>();

  /** @param current the stored values; null for a new row */
  constructor(current: FieldValues | null) {
    this.#current = current ?? {};
    this.#isNew = current === null;
    this.values = { ...current };
  }

  /**
   * Writes a value back to its source, such as that of a renamed field to the stored field. Skips constants, and values
   * that the row shows already: several stored values may be shown as one.
   */
  write(source: Source, value: Json): void {
    if (!this.#isNew && !this.#isPart(source) && isShownAs(evaluateSource(source, this.values), value)) return;
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
        const { conversion, name } = source;
        this.#parts.set(conversion, { ...this.#parts.get(conversion), [name]: value });
        this.#pending.add(conversion);
      }
    }
  }

  /**
   * Converts what was written, with the current values of what was not. A conversion that makes a part of another one
   * runs that one again.
   */
  finish(): FieldValues {
    while (this.#pending.size > 0) {
      const pending = this.#pending;
      this.#pending = new Set();
      for (const conversion of pending) this.#convert(conversion);
    }
    return this.values;
  }

  /** True if a part of the same conversion was written, so that the row does not show its parts yet. */
  #isPart(source: Source): boolean {
    return source.kind === 'converted' && this.#parts.has(source.conversion);
  }

  #convert(conversion: Conversion): void {
    const { change, inputs } = conversion;
    const parts = this.#parts.get(conversion) ?? {};
    const all = change.from.map((name): readonly [string, Json] => [
      name,
      parts[name] ??
        (Object.hasOwn(parts, name) ? null : evaluateSource({ kind: 'converted', conversion, name }, this.#current)),
    ]);
    const made = change.up(Object.fromEntries(all));
    for (const [name, source] of inputs) this.write(source, made[name] ?? null);
  }

  #writeMember({ of, name }: Extract<Source, { kind: 'member' }>, value: Json): void {
    const object = evaluateSource(of, this.values);
    // An object is not set only to hold an unset member.
    if (value === null && !isJsonObject(object)) return;
    this.write(of, { ...(isJsonObject(object) ? object : {}), [name]: value });
  }

  /** Members that were moved into the object go back; members that were moved out of it stay as they are. */
  #writeObject(source: ObjectSource, value: Json): void {
    const { of, members } = source;
    const given = isJsonObject(value) ? value : {};
    if (of !== null) {
      const before = evaluateSource(of, this.values);
      const own = Object.entries(given).filter(([name]) => !members.has(name));
      const kept = isJsonObject(before) ? Object.entries(before).filter(([name]) => members.has(name)) : [];
      const isUnset = !isJsonObject(value) && !this.#keeps(source);
      this.write(of, isUnset ? null : Object.fromEntries([...own, ...kept]));
    }
    for (const [name, member] of members) if (member !== null) this.write(member, given[name] ?? null);
  }

  /** True if the stored object has values of other fields, which were moved out of it. */
  #keeps({ of, members }: ObjectSource): boolean {
    if (of === null) return false;
    const before = evaluateSource(of, this.values);
    if (!isJsonObject(before)) return false;
    const own = [...members.values()].filter((member) => member !== null && memberName(member, of) !== null);
    const renamed = new Set(own.map((member) => member !== null && memberName(member, of)));
    return (
      [...members].some(([name, member]) => member === null && !renamed.has(name) && (before[name] ?? null) !== null) ||
      own.some((member) => member?.kind === 'object' && this.#keeps(member))
    );
  }
}

type ObjectSource = Extract<Source, { kind: 'object' }>;

/**
 * Finds the name of the member of a stored object that a source shows, unchanged or with changed values or members. It
 * is null for any other source.
 */
function memberName(source: Source, object: Source): string | null {
  switch (source.kind) {
    case 'member':
      return source.of === object ? source.name : null;
    case 'values':
      return memberName(source.of, object);
    case 'object':
      return source.of === null ? null : memberName(source.of, object);
    case 'field':
    case 'constant':
    case 'converted':
      return null;
  }
}

/** True if a response shows a value as another one: every member of an object is shown, unset ones too (REP-4). */
function isShownAs(value: Json, shown: Json): boolean {
  if (Array.isArray(shown) && shown.length === 0 && value === null) return true;
  if (!isJsonObject(value) || !isJsonObject(shown)) return jsonEquals(value, shown);
  const names = new Set([...Object.keys(value), ...Object.keys(shown)]);
  return [...names].every((name) => isShownAs(value[name] ?? null, shown[name] ?? null));
}
