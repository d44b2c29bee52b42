import { isTrue, type ReadPath } from './policies.ts';
import {
  fulfils,
  type RowOperation,
  type RuledCaller,
  type RuledField,
  type RuledModel,
  type RuledResource,
} from './ruled-model.ts';
import type { Value } from './values.ts';

/** A revision, which the oracle learns when it is served first. */
export interface Revision {
  known: number | null;
}

/** A row as it is or was; a change makes another. */
export interface RuledRow {
  readonly resource: RuledResource;
  /** Ids from the outermost ancestor to the row. */
  readonly path: readonly string[];
  readonly values: Readonly<Record<string, Value>>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: Revision;
}

/** A way from the rows of one resource to those of another. */
export interface Relation {
  readonly name: string;
  readonly target: RuledResource;
  readonly kind: 'one' | 'children' | 'inverse';
  /** The reference; that of the target for an inverse relation, null for children and the parent. */
  readonly field: string | null;
}

const TEXT: RuledField = { kind: 'text' };

/** All rows in memory, and who may see and change them (AUTH-5, AUTH-9, URL-7). */
export class RuledRows {
  readonly model: RuledModel;
  rows: ReadonlyMap<string, RuledRow> = new Map();

  constructor(model: RuledModel) {
    this.model = model;
  }

  resource(name: string): RuledResource {
    const found = this.model[name];
    if (found === undefined) throw new Error(`no resource ${name}`);
    return found;
  }

  /** The resources above, nearest first. */
  above({ parent }: RuledResource): readonly RuledResource[] {
    return parent === null ? [] : [this.resource(parent), ...this.above(this.resource(parent))];
  }

  get(resource: RuledResource, path: readonly string[]): RuledRow | null {
    return this.rows.get(rowKey(resource, path)) ?? null;
  }

  of({ name }: RuledResource): readonly RuledRow[] {
    return [...this.rows.values()].filter((row) => row.resource.name === name);
  }

  set(row: RuledRow): void {
    this.rows = new Map([...this.rows, [rowKey(row.resource, row.path), row]]);
  }

  remove({ resource, path }: RuledRow): void {
    this.rows = new Map([...this.rows].filter(([key]) => key !== rowKey(resource, path)));
  }

  parentOf({ resource, path }: RuledRow): RuledRow | null {
    return resource.parent === null ? null : this.get(this.resource(resource.parent), path.slice(0, -1));
  }

  /**
   * Finds out if a caller sees a row: by its own rules, and by those of its ancestors.
   *
   * @param row may be one that is not stored
   */
  sees(caller: RuledCaller, row: RuledRow): boolean {
    return this.allows('read', caller, row) && this.hiddenAncestor(caller, row.resource, row.path) === null;
  }

  /** Finds out if a caller may refer to a row anew: it may read the collection, and sees the row (MET-10). */
  mayReferTo(caller: RuledCaller, row: RuledRow): boolean {
    return fulfils(row.resource.read, caller) && this.sees(caller, row);
  }

  /** The outermost ancestor that is absent or hidden. */
  hiddenAncestor(caller: RuledCaller, resource: RuledResource, path: readonly string[]): RuledResource | null {
    const above = this.above(resource).toReversed();
    return (
      above.find((each, level) => {
        const row = this.get(each, path.slice(0, level + 1));
        return row === null || !this.allows('read', caller, row);
      }) ?? null
    );
  }

  /** By the rules of the row's own resource. */
  allows(operation: RowOperation, caller: RuledCaller, row: RuledRow): boolean {
    const { rows, owner, read } = row.resource;
    const tree = rows[operation] ?? rows.read ?? true;
    const isOwned = owner !== null && operation !== 'create' && !(operation === 'read' && read === 'public');
    if (isOwned && !(owner.bypass !== null && caller.scopes?.includes(owner.bypass))) {
      if (caller.subject === null || row.values[owner.field] !== caller.subject) return false;
    }
    return isTrue(tree, caller, this.#reader(row));
  }

  /** Finds out if every row of a resource is visible by its own rules, whatever it contains. */
  seesAll(caller: RuledCaller, { rows, owner, read }: RuledResource): boolean {
    const isOwned =
      owner !== null && read !== 'public' && !(owner.bypass !== null && caller.scopes?.includes(owner.bypass));
    return !isOwned && (rows.read ?? true) === true;
  }

  /** Policies read the rows that a row refers to for the system. */
  #reader(row: RuledRow): ReadPath {
    return (path) => {
      const [first = '', ...rest] = path.split('.');
      if (rest.length === 0) return { value: readValue(row, first), field: findField(row.resource, first) };
      const relation = this.relation(row.resource, first);
      const [referred] = this.related(row, relation);
      if (referred !== undefined) return this.#reader(referred)(rest.join('.'));
      return { value: null, field: this.fieldAt(relation.target, rest) };
    };
  }

  fieldAt(resource: RuledResource, [first = '', ...rest]: readonly string[]): RuledField {
    return rest.length === 0 ? findField(resource, first) : this.fieldAt(this.relation(resource, first).target, rest);
  }

  relation(resource: RuledResource, name: string): Relation {
    const found = this.relations(resource).find((each) => each.name === name);
    if (found === undefined) throw new Error(`${resource.name} has no relation ${name}`);
    return found;
  }

  relations(resource: RuledResource): readonly Relation[] {
    const all = Object.values(this.model);
    const parent = resource.parent === null ? [] : [this.resource(resource.parent)];
    return [
      ...parent.map((target): Relation => ({ name: target.singular, target, kind: 'one', field: null })),
      ...references(resource).map(
        ({ field, as, target }): Relation => ({ name: as, target: this.resource(target), kind: 'one', field }),
      ),
      ...all
        .filter((each) => each.parent === resource.name)
        .map((target): Relation => ({ name: target.name, target, kind: 'children', field: null })),
      ...all.flatMap((target) =>
        references(target)
          .filter((each) => each.target === resource.name && each.inverse !== null)
          .map(({ field, inverse }): Relation => ({ name: inverse ?? '', target, kind: 'inverse', field })),
      ),
    ];
  }

  /** The rows that a relation leads to, whoever sees them. */
  related(row: RuledRow, { kind, target, field }: Relation): readonly RuledRow[] {
    const id = row.path.at(-1);
    if (kind === 'children')
      return this.of(target).filter((each) => this.parentOf(each) !== null && isPrefix(row.path, each.path));
    if (kind === 'inverse') return this.of(target).filter((each) => each.values[field ?? ''] === id);
    if (field === null)
      return this.of(target).filter((each) => each.path.join('/') === row.path.slice(0, -1).join('/'));
    return this.of(target).filter((each) => each.path.at(-1) === row.values[field]);
  }
}

/** The references of a resource. */
export function references(resource: RuledResource) {
  return Object.entries(resource.fields).flatMap(([field, { reference }]) =>
    reference === undefined ? [] : [{ field, ...reference, target: reference.resource }],
  );
}

export function findField(resource: RuledResource, name: string): RuledField {
  return resource.fields[name] ?? TEXT;
}

/** A member of a row, as it is served. */
export function readValue(row: RuledRow, name: string): Value {
  if (name === 'id') return row.path.at(-1) ?? null;
  if (name === 'created_at' || name === 'updated_at') return row[name];
  if (name === parentField(row.resource)) return row.path.at(-2) ?? null;
  return row.values[name] ?? null;
}

/** The read-only field with the id of the parent. Names of collections in the oracle's models are plurals by `s`. */
export function parentField({ parent }: RuledResource): string | null {
  return parent === null ? null : `${parent.slice(0, -1)}_id`;
}

function rowKey({ name }: RuledResource, path: readonly string[]): string {
  return JSON.stringify([name, ...path]);
}

function isPrefix(start: readonly string[], path: readonly string[]): boolean {
  return path.length === start.length + 1 && start.every((each, index) => path[index] === each);
}
