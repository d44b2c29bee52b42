import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { loopIteration } from '../../../../src/platform/clock.ts';
import { PostgresChangeStamps } from '../../../../src/stores/postgres/commit/change-stamps.ts';
import { STATE } from '../../../../src/stores/postgres/commit/database-state.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import type { SqlRow, Statement } from '../../../../src/stores/sql/dialect.ts';
import { packTexts } from '../../../../src/stores/sql/events/packed-text.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { update } from '../../../../store-suite/sample-writes.ts';

/** Products that a transaction changes, in a slot that it has locked. */
export interface SlotTransaction {
  readonly slot: number;
  /** The changes of the slot before it. */
  readonly before: number;
  readonly ids: readonly string[];
  /** None for an import. */
  readonly sequences: readonly number[];
}

/** A statement that was sent, and the answer that waits to arrive. */
interface SimulatedSession {
  readonly sent: (() => void)[];
  readonly answers: (() => void)[];
}

const tables = new Tables(sampleModel(), postgres);

/** Simulates the slots and events of a database, as the stamps of a process read them over two sessions. */
export class SlotDatabase {
  readonly stamps: PostgresChangeStamps;
  readonly sessions = [0, 1].map((): SimulatedSession => ({ sent: [], answers: [] }));
  readonly #slots = new Map<number, number>();
  readonly #locked = new Set<number>();
  readonly #events: { readonly sequence: number; readonly id: string }[] = [];
  readonly #versions = new Map<string, number>();
  #last = 0;
  #fullReads = 0;

  constructor() {
    const client = {
      get: async (statement: Statement) => (await this.#send(statement))[0] ?? null,
      all: (statement: Statement) => this.#send(statement),
      batch: () => assert.fail('reads a batch'),
      execute: () => assert.fail('writes'),
    };
    this.stamps = new PostgresChangeStamps(client, tables, { settledRevision: () => assert.fail('reads revisions') });
  }

  /** The number of times that everything was evicted. */
  get fullReads(): number {
    return this.#fullReads;
  }

  /** The number of changes that a product has had. */
  version(id: string): number {
    return this.#versions.get(id) ?? 0;
  }

  /** The number of changes that all products have had. */
  get changes(): number {
    return [...this.#versions.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Begins a transaction in a free slot. @returns null where another one has it */
  begin(slot: number, ids: readonly string[], isImport = false): SlotTransaction | null {
    if (this.#locked.has(slot)) return null;
    this.#locked.add(slot);
    const sequences = isImport ? [] : ids.map(() => (this.#last += 1));
    return { slot, before: this.#slots.get(slot) ?? 0, ids, sequences };
  }

  commit({ slot, before, ids, sequences }: SlotTransaction): void {
    this.#locked.delete(slot);
    this.#slots.set(slot, before + ids.length);
    for (const [index, id] of ids.entries()) {
      this.#versions.set(id, this.version(id) + 1);
      const sequence = sequences[index];
      if (sequence !== undefined) this.#events.push({ sequence, id });
    }
  }

  /** Another process changes products. */
  write(slot: number, ids: readonly string[], isImport = false): void {
    this.commit(this.begin(slot, ids, isImport) ?? assert.fail());
  }

  /** The answer of a commit of this process arrives. */
  answerCommit({ slot, before, ids, sequences }: SlotTransaction): void {
    this.stamps.committed({
      server: 'one',
      before: { slot, changes: before, events: before },
      changes: ids.length,
      events: sequences,
      plans: ids.map((id) => update('products', id, 0, {})),
    });
  }

  /** Runs the next statement of a session, which sees what is committed by now. */
  run(session: number): void {
    this.sessions[session]?.sent.shift()?.();
  }

  /** Delivers the next answer of a session. */
  answer(session: number): void {
    this.sessions[session]?.answers.shift()?.();
  }

  /** Runs and answers all statements until a read is done. */
  async finish<T>(read: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const end = (): boolean => (state.isDone = true);
    read.then(end, end);
    while (!state.isDone) {
      for (const session of [0, 1]) {
        this.run(session);
        this.answer(session);
      }
      await setImmediate();
    }
    return read;
  }

  /** Reads the version of a product on the session of the iteration. */
  async readVersion(id: string): Promise<number> {
    return Number((await this.#send({ text: 'version', values: [id] }))[0]?.['version']);
  }

  #send(statement: Statement): Promise<readonly SqlRow[]> {
    const session = this.sessions[loopIteration() % 2] ?? assert.fail();
    return new Promise((resolve) => {
      session.sent.push(() => {
        const rows = this.#execute(statement);
        session.answers.push(() => resolve(rows));
      });
    });
  }

  #execute({ text, values }: Statement): readonly SqlRow[] {
    if (text === 'version') return [{ version: this.version(String(values[0])) }];
    if (text.includes('restwright_totals')) return [{ change: this.changes }];
    if (text === STATE.text) return [this.#state()];
    const found = text.includes('order by sequence desc') ? this.#newest(values[0]) : this.#changed(values);
    return found.length === 0 ? [{ ...this.#state(), sequence: null }] : found;
  }

  #state(): SqlRow {
    const slots = [...this.#slots].map((pair) => pair.join(':')).join(',');
    return { slots: slots === '' ? null : slots, server: 'one' };
  }

  #newest(limit: SqlRow[string] | undefined): readonly SqlRow[] {
    this.#fullReads += 1;
    const sequences = this.#events.map(({ sequence }) => sequence).sort((one, other) => other - one);
    return sequences.slice(0, Number(limit)).map((sequence) => ({ ...this.#state(), sequence }));
  }

  #changed([start, seen, limit]: Statement['values']): readonly SqlRow[] {
    const known = new Set((String(seen).match(/\d+/g) ?? []).map(Number));
    return this.#events
      .filter(({ sequence }) => sequence > Number(start) && !known.has(sequence))
      .slice(0, Number(limit))
      .map(({ sequence, id }) => ({
        ...this.#state(),
        sequence,
        resource: 'product',
        resource_id: packTexts([id]),
      }));
  }
}
