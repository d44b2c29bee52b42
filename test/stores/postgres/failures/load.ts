import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../../../src/stores/store.ts';
import { judgeOutcome, type Send } from './send.ts';

/** Milliseconds before a client tries again. */
const PAUSE = 5;
/** Milliseconds within which each request is answered, whatever the database does. */
const LONGEST = 10_000;

/** Clients that create notes and read them, until they are stopped. */
export class Load {
  /** Ids of notes whose creation was acknowledged, in order by writer. */
  readonly acknowledged: string[][] = [];
  /** Ids of notes that were not created, as a response said. */
  readonly refused = new Set<string>();
  /** Ids of notes that may have been created. */
  readonly unknown = new Set<string>();
  /** Milliseconds that the slowest response took. */
  longest = 0;
  #reads = 0;
  #isStopped = false;
  readonly #send: Send;
  readonly #clients: readonly Promise<void>[];

  constructor(send: Send, { writers, readers }: { readonly writers: number; readonly readers: number }) {
    this.#send = send;
    this.#clients = [
      ...Array.from({ length: writers }, (_, writer) => this.#write(writer)),
      ...Array.from({ length: readers }, (_, reader) => this.#read(reader)),
    ];
  }

  /** Resolves once something was read and written that was requested from now on. @returns milliseconds */
  async served(): Promise<number> {
    const begun = performance.now();
    const [reads, writes] = [this.#reads, this.#writes];
    // Those that are answered first may have been requested before.
    while (this.#reads < reads + this.#clients.length || this.#writes < writes + this.#clients.length)
      await setTimeout(PAUSE);
    return performance.now() - begun;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  get #writes(): number {
    return this.acknowledged.reduce((sum, each) => sum + each.length, 0);
  }

  async #write(writer: number): Promise<void> {
    const acknowledged: string[] = [];
    this.acknowledged.push(acknowledged);
    for (let at = 0; !this.#isStopped; at += 1) {
      const id = `${writer}-${at}`;
      const answer = await this.#timed({ send: 'POST /api/v1/notes', body: { id, text: id } });
      const outcome = judgeOutcome(answer);
      if (outcome === 'answered') assert.equal(answer.status, 201, JSON.stringify(answer.body));
      if (outcome === 'answered') acknowledged.push(id);
      else (outcome === 'unknown' ? this.unknown : this.refused).add(id);
      if (outcome !== 'answered') await setTimeout(PAUSE);
    }
  }

  async #read(reader: number): Promise<void> {
    for (let at = reader; !this.#isStopped; at += 1) {
      const written = this.acknowledged[at % this.acknowledged.length]?.at(-1);
      const item = written !== undefined && at % 4 > 0;
      const answer = await this.#timed({ send: item ? `GET /api/v1/notes/${written}` : 'GET /api/v1/notes?limit=5' });
      if (answer.status === 200) this.#reads += 1;
      else {
        assert.ok([0, 503].includes(answer.status), `an acknowledged note: ${answer.status}`);
        await setTimeout(PAUSE);
      }
    }
  }

  async #timed(row: Parameters<Send>[0]): ReturnType<Send> {
    const begun = performance.now();
    const answer = await this.#send(row);
    this.longest = Math.max(this.longest, performance.now() - begun);
    assert.ok(this.longest < LONGEST, `${this.longest} ms`);
    return answer;
  }
}

/** The ids of all notes. */
export async function listIds(send: Send): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let next: string | null = '/api/v1/notes?limit=100&fields=id'; next !== null; ) {
    const { status, body } = await send({ send: `GET ${next}` });
    assert.equal(status, 200);
    for (const { id } of body.data) ids.add(id);
    next = body.links.next ?? null;
  }
  return ids;
}

/**
 * Compares rows and events with the acknowledged writes. None of them is lost, and no refused write exists. Each row
 * has its event, in the order of the acknowledgements of each client.
 *
 * @returns the number of events
 */
export async function judge(load: Load, send: Send, store: Pick<Store, 'events'>): Promise<number> {
  const ids = await listIds(send);
  const acknowledged = load.acknowledged.flat();
  assert.deepEqual(
    acknowledged.filter((id) => !ids.has(id)),
    [],
    'acknowledged writes are stored',
  );
  assert.deepEqual(
    [...ids].filter((id) => load.refused.has(id)),
    [],
    'what was refused is not stored',
  );
  const events = await store.events.after(0, Number.MAX_SAFE_INTEGER);
  const logged = events.map(({ payload }) => payload.resource.id);
  assert.deepEqual(logged.toSorted(), [...ids].toSorted(), 'each row has one event, and no event is without its row');
  const place = new Map(logged.map((id, index) => [id, index]));
  for (const each of load.acknowledged) {
    const places = each.map((id) => place.get(id) ?? -1);
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
      'events are in the order of writes',
    );
  }
  const sequences = events.map(({ metadata }) => Number(metadata.sequence));
  assert.deepEqual(
    sequences,
    sequences.toSorted((one, other) => one - other),
  );
  assert.equal(new Set(sequences).size, sequences.length);
  return events.length;
}
