import type { RuledCaller, RuledModel, RuledResource } from './ruled-model.ts';
import { ANYTHING, type Expected, notFound, RuledReads, rowUrl } from './ruled-reads.ts';
import { type RuledRow, RuledRows } from './ruled-rows.ts';
import { type Made, listRules, RuledWrites, type WriteAnswer, type WriteRequest } from './ruled-writes.ts';

/** A write under a key, as it was done. */
interface Keyed {
  /** The digest of the request, to recognize another one with the same key. */
  readonly request: string;
  readonly answer: WriteAnswer;
}

/** One operation of a batch, as it was done. */
interface Done {
  readonly write: WriteRequest;
  readonly answer: WriteAnswer;
}

interface RuledBatch {
  readonly subject: string;
  readonly atomic: boolean;
  readonly done: readonly Done[];
}

/** The contract over plain rows: what every request is answered with, and what it changes. */
export class RuledServer {
  readonly rows: RuledRows;
  readonly reads: RuledReads;
  readonly #writes: RuledWrites;
  readonly #keys = new Map<string, Keyed>();
  readonly #batches = new Map<string, RuledBatch>();

  constructor(model: RuledModel) {
    this.rows = new RuledRows(model);
    this.reads = new RuledReads(this.rows);
    this.#writes = new RuledWrites(this.rows, this.reads);
  }

  /** @param key the Idempotency-Key (MET-12) */
  write(caller: RuledCaller, request: WriteRequest, key: string | null, made: Made): Expected {
    if (key === null || caller.subject === null) return this.#writes.write(caller, request, made).expected(caller);
    const refused = this.reads.refusal(listRules(request), caller);
    if (refused !== null) return refused;
    const { method, resource, path, body } = request;
    const name = JSON.stringify([caller.subject, method, resource.name, path, key]);
    const earlier = this.#keys.get(name);
    if (earlier === undefined) {
      const answer = this.#writes.write(caller, request, made);
      if (answer.row !== null) this.#keys.set(name, { request: JSON.stringify(body), answer });
      return answer.expected(caller);
    }
    if (earlier.request !== JSON.stringify(body)) return { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' };
    const { row } = earlier.answer;
    if (row === null || !this.#seesAsItWas(caller, row)) return notFound(resource);
    const expected = earlier.answer.expected(caller);
    return { ...expected, headers: { ...expected.headers, 'idempotent-replayed': 'true' } };
  }

  /** A row as it was, among those that it refers to and below the ancestors that are there now. */
  #seesAsItWas(caller: RuledCaller, row: RuledRow): boolean {
    const isHidden = this.rows.above(row.resource).some((each, level) => {
      if (this.rows.seesAll(caller, each)) return false;
      const ancestor = this.rows.get(each, row.path.slice(0, row.path.length - 1 - level));
      return ancestor === null || !this.rows.allows('read', caller, ancestor);
    });
    if (isHidden) return false;
    const now = this.rows.rows;
    this.rows.set(row);
    const isSeen = this.rows.allows('read', caller, row);
    this.rows.rows = now;
    return isSeen;
  }

  /** POST of NDJSON (MET-13). @param made for each line */
  lines(
    caller: RuledCaller,
    resource: RuledResource,
    path: readonly string[],
    writes: readonly WriteRequest[],
    made: readonly Made[],
  ): Expected & { readonly lines?: readonly Expected[] } {
    const refused = this.reads.refusal([resource.write], caller) ?? this.reads.missing(caller, resource, [...path, '']);
    if (refused !== null) return refused;
    return {
      status: 200,
      lines: writes.map((write, index) => this.#writes.write(caller, write, made[index] as Made).expected(caller)),
    };
  }

  /** POST to `/batches` (MET-13). @param id of the record, once it is known */
  batch(
    caller: RuledCaller,
    { atomic, operations }: { readonly atomic: boolean; readonly operations: readonly WriteRequest[] },
    id: string,
    made: readonly Made[],
  ): Expected {
    if (caller.subject === null) return { status: 401, code: 'AUTH_REQUIRED' };
    const before = this.rows.rows;
    const done: Done[] = [];
    for (const [index, write] of operations.entries()) {
      const answer = this.#writes.write(caller, write, made[index] as Made);
      if (answer.row === null && atomic) {
        this.rows.rows = before;
        const { fields, ...expected } = answer.expected(caller);
        const within = `operations[${index}]`;
        const moved =
          fields?.length === 0
            ? [within]
            : fields?.map((field) => `${within}.body${field.startsWith('[') ? '' : '.'}${field}`);
        // The store finds these when the batch is committed, after what is wrong with later operations.
        const isMissing = write.method === 'POST' && expected.status === 404;
        const isLate = isMissing || expected.anyField === true || expected.code?.endsWith('_ALREADY_EXISTS');
        return {
          ...expected,
          ...(moved === undefined ? {} : { fields: moved }),
          ...(isLate ? { anyRefusal: true } : {}),
        };
      }
      done.push({ write, answer });
    }
    const batch = { subject: caller.subject, atomic, done };
    this.#batches.set(id, batch);
    return { ...this.#shown(caller, id, batch), status: 201, headers: { location: `/api/v1/batches/${id}` } };
  }

  /** GET of a batch, as its caller may have it now. */
  record(caller: RuledCaller, id: string): Expected {
    if (caller.subject === null) return { status: 401, code: 'AUTH_REQUIRED' };
    const batch = this.#batches.get(id);
    if (batch === undefined || batch.subject !== caller.subject) return { status: 404, code: 'BATCH_NOT_FOUND' };
    const judged = batch.done.map(({ write, answer }): Done => {
      if (answer.row === null) return { write, answer };
      const refused = this.reads.refusal(listRules(write), caller);
      if (refused !== null) return { write, answer: { expected: () => refused, row: null } };
      const isSeen = this.#seesAsItWas(caller, answer.row);
      return isSeen ? { write, answer } : { write, answer: { expected: () => notFound(write.resource), row: null } };
    });
    return this.#shown(caller, id, { ...batch, done: judged });
  }

  #shown(caller: RuledCaller, id: string, { atomic, done }: RuledBatch): Expected {
    const count = done.filter(({ answer }) => answer.row !== null).length;
    const status = count === done.length ? 'succeeded' : count === 0 ? 'failed' : 'partially_failed';
    const results = done.map(({ answer }) => {
      const expected = answer.expected(caller);
      return answer.row === null
        ? { status: expected.status, headers: ANYTHING, body: new Refusal(expected) }
        : { status: expected.status, headers: new Headers(expected.headers ?? {}), body: expected.body ?? null };
    });
    return {
      status: 200,
      body: {
        id,
        atomic,
        status,
        results,
        created_at: ANYTHING,
        expires_at: ANYTHING,
        links: { self: `/api/v1/batches/${id}` },
      },
    };
  }

  /** The location of a new row. */
  urlOf(resource: RuledResource, path: readonly string[]): string {
    return rowUrl(this.rows, resource, path);
  }
}

/** Stands for an error body in a result. */
export class Refusal {
  readonly expected: Expected;

  constructor(expected: Expected) {
    this.expected = expected;
  }
}

/** Stands for the header fields of a result. */
export class Headers {
  readonly expected: Readonly<Record<string, string | null>>;

  constructor(expected: Readonly<Record<string, string | null>>) {
    this.expected = expected;
  }
}
