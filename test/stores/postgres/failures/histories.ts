import assert from 'node:assert/strict';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { isLinearizable, type RowOperation, type Timed } from './linearizable.ts';
import { type Answer, judgeOutcome, type Send } from './send.ts';

interface HistoryOptions {
  readonly clients: number;
  readonly rows: number;
  /** Returns true to end after so many requests. */
  readonly isOver: (requests: number) => boolean;
  readonly random: SeededRandom;
}

/** The state of a row that a client has seen: its value, and its ETag. */
interface SeenState {
  readonly value: string;
  readonly etag: string;
}

/** The operations of clients on each row. */
export interface History {
  readonly rows: ReadonlyMap<string, readonly Timed[]>;
  readonly operations: number;
  readonly unknown: number;
  /** Operations that began before another one on the same row was answered. */
  readonly overlapping: number;
  /** Reads that were answered by 304. */
  readonly notModified: number;
}

/** Records what clients do to a few rows, at the same time: reads, pages and writes, with and without conditions. */
export async function recordHistory(send: Send, { clients, rows, isOver, random }: HistoryOptions): Promise<History> {
  const recorder = new Recorder(send, rows, isOver);
  await Promise.all(
    Array.from({ length: clients }, (_, client) => recorder.run(client, new SeededRandom(random.integer(1_000_000)))),
  );
  return recorder.history;
}

function overlapping(row: readonly Timed[]): number {
  let latest = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const { begun, ended } of row.toSorted((one, other) => one.begun - other.begun)) {
    if (begun < latest) count += 1;
    // One whose outcome is not known overlaps everything, which says nothing of the others.
    if (Number.isFinite(ended)) latest = Math.max(latest, ended);
  }
  return count;
}

class Recorder {
  readonly #send: Send;
  readonly #isOver: HistoryOptions['isOver'];
  readonly #rows: ReadonlyMap<string, Timed[]>;
  readonly #ids: readonly string[];
  #requests = 0;
  #notModified = 0;

  constructor(send: Send, rows: number, isOver: HistoryOptions['isOver']) {
    this.#send = send;
    this.#isOver = isOver;
    this.#ids = Array.from({ length: rows }, (_, row) => `row-${row}`);
    this.#rows = new Map(this.#ids.map((id) => [id, []]));
  }

  get history(): History {
    const all = [...this.#rows.values()].flat();
    return {
      rows: this.#rows,
      operations: all.length,
      unknown: all.filter(({ ended }) => ended === Number.POSITIVE_INFINITY).length,
      overlapping: [...this.#rows.values()].reduce((sum, row) => sum + overlapping(row), 0),
      notModified: this.#notModified,
    };
  }

  async run(client: number, random: SeededRandom): Promise<void> {
    const seen = new Map<string, SeenState>();
    for (let at = 0; !this.#isOver(this.#requests); at += 1) {
      this.#requests += 1;
      const id = this.#ids[random.integer(this.#ids.length)] ?? assert.fail();
      await this.#operation(random.integer(12), { id, value: `${client}.${at}`, seen });
    }
  }

  async #operation(
    kind: number,
    { id, value, seen }: { readonly id: string; readonly value: string; readonly seen: Map<string, SeenState> },
  ): Promise<void> {
    const target = `/api/v1/notes/${id}`;
    const known = seen.get(id);
    const headers = known === undefined ? {} : { 'If-Match': known.etag };
    const exchanged = (done: boolean | null): RowOperation => ({
      kind: 'exchange',
      from: known?.value ?? '',
      value,
      done,
    });
    const body = { text: value };
    const learn = ({ etag }: Answer): void => void (etag !== null && seen.set(id, { value, etag }));
    if (kind < 4) return this.#read(id, seen);
    if (kind === 4) return this.#page();
    if (kind === 5) {
      const answer = await this.#write(id, { send: `DELETE ${target}` }, (done) => ({ kind: 'delete', done }), [204]);
      if (answer.status === 204) seen.delete(id);
      return;
    }
    if (kind === 6) {
      const row = { send: 'POST /api/v1/notes', body: { id, ...body } };
      const answer = await this.#write(id, row, (done) => ({ kind: 'create', value, done }), [201]);
      if (answer.status === 201) learn(answer);
      return;
    }
    const isPatch = kind % 2 === 0;
    const row = { send: `${isPatch ? 'PATCH' : 'PUT'} ${target}`, body, headers: kind < 10 ? headers : {} };
    const make = (done: boolean | null, { status }: Answer): RowOperation => {
      if (kind < 10 && known !== undefined) return exchanged(done);
      if (isPatch) return { kind: 'change', value, done };
      return { kind: 'put', value, created: done === null ? null : status === 201 };
    };
    const answer = await this.#write(id, row, make, [200, 201]);
    if (answer.status === 200 || answer.status === 201) learn(answer);
    else seen.delete(id);
  }

  async #write(
    id: string,
    row: Parameters<Send>[0],
    operation: (done: boolean | null, answer: Answer) => RowOperation,
    success: readonly number[],
  ): Promise<Answer> {
    const begun = performance.now();
    const answer = await this.#send(row);
    const outcome = judgeOutcome(answer);
    if (outcome === 'not made') return answer;
    const isKnown = outcome === 'answered';
    if (isKnown) assert.ok([...success, 404, 409, 412].includes(answer.status), JSON.stringify(answer.body));
    const done = isKnown ? success.includes(answer.status) : null;
    const ended = isKnown ? performance.now() : Number.POSITIVE_INFINITY;
    this.#rows.get(id)?.push({ operation: operation(done, answer), begun, ended });
    return answer;
  }

  async #read(id: string, seen: Map<string, SeenState>): Promise<void> {
    const known = seen.get(id);
    const headers = known === undefined ? {} : { 'If-None-Match': known.etag };
    const begun = performance.now();
    const { status, body, etag } = await this.#send({ send: `GET /api/v1/notes/${id}`, headers });
    const ended = performance.now();
    if (status === 503 || status === 0) return;
    if (status === 304) this.#notModified += 1;
    const value = status === 200 ? String(body.text) : status === 304 ? (known?.value ?? '') : null;
    assert.ok([200, 304, 404].includes(status));
    this.#rows.get(id)?.push({ operation: { kind: 'read', value }, begun, ended });
    if (status === 200) seen.set(id, { value: String(body.text), etag: etag ?? '' });
    if (status === 404) seen.delete(id);
  }

  /** A page says of each row what it was at one moment. */
  async #page(): Promise<void> {
    const begun = performance.now();
    const { status, body } = await this.#send({ send: 'GET /api/v1/notes?limit=100' });
    const ended = performance.now();
    if (status !== 200) return;
    const values = new Map<string, string>(body.data.map(({ id, text }: { id: string; text: string }) => [id, text]));
    for (const [id, history] of this.#rows)
      history.push({ operation: { kind: 'read', value: values.get(id) ?? null }, begun, ended });
  }
}

/** The rows whose history is not that of one row. */
export function brokenRows({ rows }: History): readonly string[] {
  return [...rows].filter(([, history]) => !isLinearizable(history)).map(([id]) => id);
}
