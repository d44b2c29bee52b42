import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import type { Shape, ValueType } from '../model/model.ts';
import type { FieldValues } from '../plan/plan.ts';
import { isShownAs, isUnsetValue } from './shown-values.ts';
import { type Conversion, mapped, type Source, evaluateSource, isSameSource } from './sources.ts';

/** Finds the shape of what is stored at a source; null if it is at no one place. */
export type FindShape = (source: Source) => Shape | null;

/** Values of stored fields that are made of those of an older contract. */
export class Assignment {
  readonly #values: Record<string, Json>;
  readonly #current: FieldValues;
  readonly #isNew: boolean;
  readonly #shapeAt: FindShape;
  /** The parts of conversions that are written. */
  readonly #parts = new Map<Conversion, Readonly<Record<string, Json>>>();
  /** Conversions of which a part was written since they were run. */
  #pending = new Set<Conversion>();
  /** Objects of which the request unsets the whole, or a member. */
  readonly #unset: Source[] = [];
  /** Objects that the request sets, with or without set members. */
  readonly #set: Source[] = [];

  /** @param current the stored values; null for a new row */
  constructor(current: FieldValues | null, shapeAt: FindShape) {
    this.#current = current ?? {};
    this.#isNew = current === null;
    this.#values = { ...current };
    this.#shapeAt = shapeAt;
  }

  /**
   * Writes a value back to its source, such as that of a renamed field to the stored field. Skips constants, and values
   * that the row shows already: several stored values may be shown as one.
   *
   * @param shape of the value in the contract that writes it; null if it is not known
   */
  write(source: Source, value: Json, shape: Shape | null = this.#shapeAt(source)): void {
    // The members of an object are compared one by one.
    if (source.kind === 'object') this.#writeObject(source, value, shape);
    else if (this.#isNew || this.#isPart(source) || !isShownAs(this.#evaluate(source), value, shape))
      this.#assign(source, value, shape);
  }

  /**
   * Converts what was written, with the current values of what was not. A conversion that makes a part of another one
   * runs that one again. Then decides which objects are unset: no order of the writes matters.
   *
   * @returns the values of the row for fields that were not written; absent in a new one
   */
  finish(): FieldValues {
    // A conversion gets an object as it is at the end; it may set members of stored ones.
    this.#unsetObjects(this.#unset.filter(isConverted));
    this.#convertAll();
    this.#unsetObjects(this.#unset);
    this.#convertAll();
    return this.#values;
  }

  /** Unsets objects of which nothing is left, inner ones first. */
  #unsetObjects(objects: readonly Source[]): void {
    for (const object of objects.toSorted((one, other) => measureSource(other) - measureSource(one)))
      if (this.#isLeftUnset(object)) this.#assign(object, null, null);
  }

  #assign(source: Source, value: Json, shape: Shape | null): void {
    switch (source.kind) {
      case 'field':
        this.#values[source.name] = value;
        return;
      case 'constant':
        return;
      case 'values':
        this.write(source.of, mapped(value, source.change.up), shape);
        return;
      case 'member':
        this.#assignMember(source, value);
        return;
      case 'object':
        this.#writeObject(source, value, shape);
        return;
      case 'converted': {
        const { conversion, name } = source;
        this.#parts.set(conversion, { ...this.#parts.get(conversion), [name]: value });
        this.#pending.add(conversion);
      }
    }
  }

  #evaluate(source: Source): Json {
    return evaluateSource(source, this.#values, this.#parts);
  }

  /** True if a part of the same conversion was written, so that the row does not show its parts yet. */
  #isPart(source: Source): boolean {
    return source.kind === 'converted' && this.#parts.has(source.conversion);
  }

  #convertAll(): void {
    while (this.#pending.size > 0) {
      const pending = this.#pending;
      this.#pending = new Set();
      for (const conversion of pending) this.#convert(conversion);
    }
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

  #assignMember({ of, name }: Extract<Source, { kind: 'member' }>, value: Json): void {
    const object = this.#evaluate(of);
    if (isUnsetValue(value)) this.#unset.push(of);
    // An object is not set only to hold an unset member, unless it has to be.
    if (isUnsetValue(value) && !isJsonObject(object) && this.#mayBeUnset(of)) return;
    this.#assign(of, { ...(isJsonObject(object) ? object : {}), [name]: value }, null);
  }

  /** Members that were moved into the object go back; members that were moved out of it stay as they are. */
  #writeObject(source: ObjectSource, value: Json, shape: Shape | null): void {
    const { of, members } = source;
    const declared = declaredMembers(shape);
    if (of !== null && !this.#isShownByOthers(source, value)) this.#writeBase(of, value, { members, declared });
    const given = isJsonObject(value) ? value : {};
    for (const [name, member] of members) {
      // The older contract shows no member of some objects.
      if (member === null || (declared.size > 0 && !declared.has(name))) continue;
      this.write(member, given[name] ?? null, declared.get(name) ?? this.#shapeAt(member));
    }
  }

  /** Writes the members that an object has where it is stored. */
  #writeBase(of: Source, value: Json, others: ObjectMembers): void {
    const before = this.#evaluate(of);
    (isJsonObject(value) ? this.#set : this.#unset).push(of);
    if (!isJsonObject(value) && !isJsonObject(before)) {
      if (this.#isNew) this.#assign(of, null, null);
      return;
    }
    const shown = isJsonObject(before) ? before : {};
    const own = ownMembers(value, shown, others);
    if (!this.#isNew && isJsonObject(before) && areShown(own, shown, others)) return;
    const kept = Object.entries(shown).filter(([name]) => others.members.has(name));
    this.#assign(of, Object.fromEntries([...own, ...kept]), null);
  }

  /** True if an object without a stored one is shown for members that come from elsewhere, and still is afterwards. */
  #isShownByOthers(source: ObjectSource, value: Json): boolean {
    if (this.#isNew || !isJsonObject(value) || !isJsonObject(this.#evaluate(source))) return false;
    if (source.of === null || isJsonObject(this.#evaluate(source.of))) return false;
    const set = Object.keys(value).filter((name) => !isUnsetValue(value[name] ?? null));
    return set.length > 0 && set.every((name) => (source.members.get(name) ?? null) !== null);
  }

  /** True if nothing of an object is set, and the older contract shows it as unset, or not at all. */
  #isLeftUnset(object: Source): boolean {
    if (this.#set.some((each) => isSameSource(each, object)) || !this.#mayBeUnset(object)) return false;
    const value = this.#evaluate(object);
    return isJsonObject(value) && Object.values(value).every(isUnsetValue);
  }

  #mayBeUnset(object: Source): boolean {
    return this.#shapeAt(object)?.nullable !== false;
  }
}

type ObjectSource = Extract<Source, { kind: 'object' }>;

/** The members of an object that come from elsewhere, and the shapes of all. */
interface ObjectMembers {
  readonly members: ObjectSource['members'];
  readonly declared: ReadonlyMap<string, Shape>;
}

function declaredMembers(shape: Shape | null): ReadonlyMap<string, Shape> {
  const type: ValueType | undefined = shape?.type;
  return new Map(type?.kind === 'object' ? type.members.map((member) => [member.name, member]) : []);
}

/**
 * The members of an object that have no other source. Those of an unset one are null, because absent ones would get
 * their defaults again.
 */
function ownMembers(value: Json, shown: JsonObject, { members, declared }: ObjectMembers): ReadonlyMap<string, Json> {
  if (isJsonObject(value)) return new Map(Object.entries(value).filter(([name]) => !members.has(name)));
  const own = Object.keys(shown).filter((name) => !members.has(name) && declared.get(name)?.nullable !== false);
  return new Map(own.map((name) => [name, declared.get(name)?.type.kind === 'array' ? [] : null]));
}

/** True if an object shows its own members already, and no others. */
function areShown(own: ReadonlyMap<string, Json>, shown: JsonObject, { members, declared }: ObjectMembers): boolean {
  const isShown = [...own].every(([name, each]) => isShownAs(shown[name] ?? null, each, declared.get(name) ?? null));
  // Only the result of a conversion may lack members.
  const isComplete = declared.size > 0;
  return isShown && (isComplete || Object.keys(shown).every((name) => members.has(name) || own.has(name)));
}

function isConverted(source: Source): boolean {
  return source.kind === 'member' ? isConverted(source.of) : source.kind === 'converted';
}

/** Counts the objects around a stored value. */
function measureSource(source: Source): number {
  return source.kind === 'member' ? 1 + measureSource(source.of) : 0;
}
