import {
  errorPrefix,
  isShown,
  isWritable,
  type RowOperation,
  type RuledCaller,
  type RuledField,
  type RuledResource,
  type Rule,
} from './ruled-model.ts';
import { type Expected, notFound, type RuledReads, rowUrl } from './ruled-reads.ts';
import { parentField, references, type RuledRow, type RuledRows } from './ruled-rows.ts';
import type { Value } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

/** An operation of a JSON patch on a member of the row itself. */
export interface PatchOperation {
  readonly op: 'test' | 'replace';
  readonly path: string;
  readonly value: unknown;
}

/** A write to one row. */
export interface WriteRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly resource: RuledResource;
  /** Ids, outermost first; that of the row is not there in a POST. */
  readonly path: readonly string[];
  /** A list is a JSON patch. */
  readonly body: Body | readonly PatchOperation[] | null;
  readonly dry: boolean;
  /** Revisions, or `*`. */
  readonly ifMatch: '*' | number | null;
  readonly ifNoneMatch: boolean;
  readonly minimal: boolean;
  readonly lenient: boolean;
}

/** Values that the server alone decides. */
export interface Made {
  /** RFC 3339. */
  readonly now: string;
  /** The id of a new row. */
  readonly id: () => string;
}

/** The result of a write: the response, and the row that it shows. */
export interface WriteAnswer {
  /** The response to a caller, now or to a replay (MET-12). */
  readonly expected: (caller: RuledCaller) => Expected;
  /** As the write left it, or as it was before it was deleted; null where the write failed. */
  readonly row: RuledRow | null;
}

class Refused extends Error {
  readonly expected: Expected;

  constructor(expected: Expected) {
    super(expected.code);
    this.expected = expected;
  }
}

/** The effects of writes on plain rows, and their responses (section 3 of the contract). */
export class RuledWrites {
  readonly #rows: RuledRows;
  readonly #reads: RuledReads;

  constructor(rows: RuledRows, reads: RuledReads) {
    this.#rows = rows;
    this.#reads = reads;
  }

  write(caller: RuledCaller, request: WriteRequest, made: Made): WriteAnswer {
    const before = this.#rows.rows;
    try {
      const refused = this.#reads.refusal(listRules(request), caller);
      if (refused !== null) throw new Refused(refused);
      const answer = this.#write(caller, request, made);
      if (request.dry) this.#rows.rows = before;
      return answer;
    } catch (error) {
      this.#rows.rows = before;
      if (error instanceof Refused) return { expected: () => error.expected, row: null };
      throw error;
    }
  }

  #write(caller: RuledCaller, request: WriteRequest, made: Made): WriteAnswer {
    const { method, resource, path } = request;
    const missing = this.#reads.missing(caller, resource, method === 'POST' ? [...path, ''] : path);
    if (missing !== null) throw new Refused(missing);
    if (method === 'POST') return this.#create(caller, request, made);
    const row = this.#rows.get(resource, path);
    if (row === null || !this.#rows.sees(caller, row)) {
      if (row !== null || method !== 'PUT' || resource.ids === 'uuid') throw new Refused(notFound(resource));
      if (request.ifMatch !== null) throw failed(resource);
      return this.#create(caller, request, made);
    }
    const operation = method === 'DELETE' ? 'delete' : 'update';
    if (!this.#rows.allows(operation, caller, row)) throw forbidden(resource);
    const isStale = request.ifMatch !== null && request.ifMatch !== '*' && request.ifMatch !== row.revision.known;
    if (isStale || request.ifNoneMatch) throw failed(resource);
    return method === 'DELETE' ? this.#delete(caller, request, row, made) : this.#update(caller, request, row, made);
  }

  #create(caller: RuledCaller, request: WriteRequest, made: Made): WriteAnswer {
    const { resource, method, path } = request;
    const body = request.body as Body;
    const bad = this.#invalid(caller, request, body);
    const given = method === 'PUT' ? path.at(-1) : body['id'];
    if (resource.ids === 'uuid' && 'id' in body) bad.push('id');
    if (method === 'PUT' && 'id' in body && body['id'] !== given) bad.push('id');
    if (resource.ids === 'client' && typeof given !== 'string') bad.push('id');
    const values: Record<string, Value> = {};
    for (const [name, field] of Object.entries(resource.fields)) {
      const isGiven = name in body && isShown(field, caller);
      values[name] = field.readOnly ? null : isGiven ? (body[name] as Value) : (field.default ?? null);
      if (field.required && values[name] === null && !bad.includes(name)) bad.push(name);
    }
    const { state, owner } = resource;
    if (state !== null) values[state.field] ??= state.initial;
    const blank = Object.fromEntries(
      Object.entries(resource.fields).map(([name, field]) => [name, field.default ?? null]),
    );
    const ownId = typeof given === 'string' ? given : '';
    const draft: RuledRow = {
      resource,
      path: [],
      values,
      created_at: made.now,
      updated_at: made.now,
      revision: { known: null },
    };
    const dangling = this.#dangling(caller, draft, null, ownId, bad);
    if (bad.length + dangling.length > 0) throw invalid(resource, [...bad, ...dangling], bad.length === 0);
    this.#requireWritable(caller, resource, values, blank);
    if (state !== null && values[state.field] !== state.initial)
      throw new Refused({ status: 409, code: `${errorPrefix(resource)}_CONFLICT` });
    if (owner !== null) values[owner.field] = caller.subject;
    const id = resource.ids === 'uuid' ? made.id() : ownId;
    const row = { ...draft, path: [...(method === 'PUT' ? path.slice(0, -1) : path), id] };
    this.#requireAfter('create', caller, row);
    if (this.#rows.get(resource, row.path) !== null) throw exists(resource, 'id');
    this.#requireUnique(row);
    this.#rows.set(row);
    return { expected: this.#written(caller, request, row, true), row };
  }

  #update(caller: RuledCaller, request: WriteRequest, row: RuledRow, made: Made): WriteAnswer {
    const { resource, method } = request;
    const changes = this.#changes(caller, request, row);
    const bad = this.#invalid(caller, request, changes);
    if ('id' in changes && changes['id'] !== row.path.at(-1)) bad.push('id');
    const values: Record<string, Value> = { ...row.values };
    const { state } = resource;
    for (const [name, field] of Object.entries(resource.fields)) {
      if (field.readOnly || !isShown(field, caller)) continue;
      if (name in changes) values[name] = changes[name] as Value;
      else if (method === 'PUT' && name !== state?.field && isWritable(field, caller))
        values[name] = field.default ?? null;
      if (name === state?.field && values[name] === null) values[name] = row.values[name] ?? null;
      if (field.required && values[name] === null && !bad.includes(name)) bad.push(name);
    }
    const draft = { ...row, values };
    const dangling = this.#dangling(caller, draft, row, row.path.at(-1) ?? '', bad);
    if (bad.length + dangling.length > 0) throw invalid(resource, [...bad, ...dangling], bad.length === 0);
    this.#requireWritable(caller, resource, values, row.values);
    this.#requireTransition(row, values);
    if (JSON.stringify(values) === JSON.stringify(row.values))
      return { expected: this.#written(caller, request, row, false), row };
    const next: RuledRow = { ...draft, updated_at: made.now, revision: { known: null } };
    this.#requireAfter('update', caller, next);
    this.#requireUnique(next);
    this.#rows.set(next);
    return { expected: this.#written(caller, request, next, false), row: next };
  }

  /** The members that a body changes. @throws {Refused} where a patch does not apply */
  #changes(caller: RuledCaller, { resource, body, method }: WriteRequest, row: RuledRow): Body {
    if (!Array.isArray(body)) return body as Body;
    if (method === 'PUT') throw new Error('a PUT has no patch');
    const changes: Record<string, unknown> = {};
    const operations: readonly PatchOperation[] = body;
    for (const [index, { op, path, value }] of operations.entries()) {
      const name = path.slice(1);
      const current = name in changes ? changes[name] : row.values[name];
      const isThere = isShown(resource.fields[name] ?? { kind: 'text' }, caller);
      if (!isThere || (op === 'test' && current !== value))
        throw new Refused({ status: 409, code: `${errorPrefix(resource)}_CONFLICT`, fields: [`[${index}]`] });
      if (op === 'replace' && resource.fields[name]?.readOnly === true) throw invalid(resource, [name]);
      if (op === 'replace') changes[name] = value;
    }
    return changes;
  }

  /** An equal value is no write. */
  #requireWritable(
    caller: RuledCaller,
    resource: RuledResource,
    to: Readonly<Record<string, Value>>,
    from: Readonly<Record<string, Value>>,
  ): void {
    const written = Object.entries(resource.fields).filter(
      ([name, field]) => isShown(field, caller) && !isWritable(field, caller) && to[name] !== from[name],
    );
    if (written.length === 0) return;
    throw new Refused({ ...forbidden(resource).expected, fields: written.map(([name]) => name) });
  }

  #requireTransition({ resource, values: from }: RuledRow, to: Readonly<Record<string, Value>>): void {
    const { state } = resource;
    if (state === null || from[state.field] === to[state.field]) return;
    const allowed = state.transitions[String(from[state.field])] ?? [];
    if (!allowed.includes(String(to[state.field])))
      throw new Refused({ status: 409, code: `${errorPrefix(resource)}_CONFLICT` });
  }

  /** Judges a row as it would be, among the rows as they would be. */
  #requireAfter(operation: RowOperation, caller: RuledCaller, row: RuledRow): void {
    const before = this.#rows.rows;
    this.#rows.set(row);
    const isAllowed = this.#rows.allows(operation, caller, row);
    this.#rows.rows = before;
    if (!isAllowed) throw forbidden(row.resource);
  }

  #requireUnique(row: RuledRow): void {
    for (const [name, { unique }] of Object.entries(row.resource.fields)) {
      const value = row.values[name] ?? null;
      const others = this.#rows.of(row.resource).filter((each) => each.path.join('/') !== row.path.join('/'));
      if (unique === true && value !== null && others.some((each) => each.values[name] === value))
        throw exists(row.resource, name);
    }
  }

  /** Members of a body that no row may have. */
  #invalid(caller: RuledCaller, { resource, lenient }: WriteRequest, body: Body): string[] {
    const system = ['id', 'created_at', 'updated_at', 'revision', 'links', parentField(resource)];
    return Object.entries(body).flatMap(([name, value]) => {
      const field = resource.fields[name];
      if (field === undefined || !isShown(field, caller)) return lenient || system.includes(name) ? [] : [name];
      return field.readOnly || value === null || isValid(field, value) ? [] : [name];
    });
  }

  /** References to no row that the caller may refer to; those that the row has already, and one to itself, are kept. */
  #dangling(
    caller: RuledCaller,
    row: RuledRow,
    current: RuledRow | null,
    ownId: string,
    bad: readonly string[],
  ): readonly string[] {
    return references(row.resource).flatMap(({ field, target }) => {
      const id = row.values[field];
      const isKept = current !== null && current.values[field] === id;
      const isOwn = target === row.resource.name && id === ownId;
      if (id === null || isKept || isOwn || bad.includes(field)) return [];
      const referred = this.#rows.of(this.#rows.resource(target)).find((each) => each.path.at(-1) === id);
      return referred !== undefined && this.#rows.mayReferTo(caller, referred) ? [] : [field];
    });
  }

  /** MET-4: for the system, whatever the caller sees. */
  #delete(caller: RuledCaller, request: WriteRequest, row: RuledRow, made: Made): WriteAnswer {
    const deleted = new Set<RuledRow>();
    this.#collect(row, deleted);
    const dependents = [...deleted].flatMap((each) => this.#dependents(each).filter(({ from }) => !deleted.has(from)));
    if (dependents.some(({ onDelete }) => onDelete === 'restrict')) {
      throw new Refused({ status: 409, code: `${errorPrefix(row.resource)}_HAS_DEPENDENTS`, fields: [] });
    }
    const whole = this.#reads.whole(caller, row, { expand: [], fields: null });
    for (const each of deleted) this.#rows.remove(each);
    for (const { from, field } of dependents) {
      const current = this.#rows.get(from.resource, from.path);
      if (current === null || field === null) continue;
      this.#rows.set({
        ...current,
        values: { ...current.values, [field]: null },
        updated_at: made.now,
        revision: { known: null },
      });
    }
    const dry = (who: RuledCaller): Expected => ({ status: 200, body: this.#reads.narrowed(who, row.resource, whole) });
    return { expected: request.dry ? dry : () => ({ status: 204 }), row };
  }

  #collect(row: RuledRow, deleted: Set<RuledRow>): void {
    if (deleted.has(row)) return;
    deleted.add(row);
    for (const { from, onDelete } of this.#dependents(row)) if (onDelete === 'cascade') this.#collect(from, deleted);
  }

  /** Lists the dependents of a row: its children, and the rows that refer to it. */
  #dependents(row: RuledRow) {
    return this.#rows
      .relations(row.resource)
      .filter(({ kind }) => kind === 'children')
      .flatMap((relation) =>
        this.#rows
          .related(row, relation)
          .map((from) => ({ from, field: null as string | null, onDelete: from.resource.onParentDelete as string })),
      )
      .concat(
        Object.values(this.#rows.model).flatMap((resource) =>
          references(resource)
            .filter(({ target }) => target === row.resource.name)
            .flatMap(({ field, onDelete }) =>
              this.#rows
                .of(resource)
                .filter((from) => from.values[field] === row.path.at(-1))
                .map((from) => ({ from, field: field as string | null, onDelete })),
            ),
        ),
      );
  }

  #written(caller: RuledCaller, request: WriteRequest, row: RuledRow, isNew: boolean): (who: RuledCaller) => Expected {
    const whole = this.#reads.whole(caller, row, { expand: [], fields: null });
    return (who) => this.#response(request, row, isNew, this.#reads.narrowed(who, row.resource, whole));
  }

  #response({ dry, minimal, method }: WriteRequest, row: RuledRow, isNew: boolean, body: object): Expected {
    const self = rowUrl(this.#rows, row.resource, row.path);
    if (dry)
      return {
        status: 200,
        body: { ...body, revision: DRY },
        headers: { 'dry-run': 'true', location: null, etag: null },
      };
    if (minimal) return { status: isNew ? 201 : 204, ...(isNew ? { headers: { location: self } } : {}) };
    const location = isNew ? { location: self } : { location: null };
    return {
      status: isNew ? 201 : 200,
      body,
      headers: { ...location, 'content-location': self, ...(method === 'PUT' ? { etag: null } : {}) },
    };
  }
}

/** The revision of a dry run, which no row gets. */
export const DRY = Symbol('dry');

export function listRules({ resource, method }: Pick<WriteRequest, 'resource' | 'method'>): readonly Rule[] {
  return method === 'PUT' && resource.ids === 'client' ? [resource.write, resource.write] : [resource.write];
}

function isValid({ kind, members }: RuledField, value: unknown): boolean {
  if (kind === 'number') return Number.isInteger(value);
  if (kind === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && (members === undefined || members.includes(value));
}

function failed(resource: RuledResource): Refused {
  return new Refused({ status: 412, code: `${errorPrefix(resource)}_PRECONDITION_FAILED`, fields: [] });
}

function forbidden(resource: RuledResource): Refused {
  return new Refused({ status: 403, code: `${errorPrefix(resource)}_FORBIDDEN`, fields: [] });
}

/** @param anyField whether one of them is enough: the store names the first reference to nothing */
function invalid(resource: RuledResource, fields: readonly string[], anyField = false): Refused {
  return new Refused({ status: 400, code: `${errorPrefix(resource)}_INVALID`, fields, anyField });
}

function exists(resource: RuledResource, field: string): Refused {
  return new Refused({ status: 409, code: `${errorPrefix(resource)}_ALREADY_EXISTS`, fields: [field] });
}
