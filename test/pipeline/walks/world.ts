import assert from 'node:assert/strict';
import { OracleCollection, type Item, type CollectionQuery, valueAt } from '../../oracle/oracle-collection.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { COMPARED_KINDS, MAKERS, MEMBERS, MODEL, RELATIONS, SEARCHED, type Target } from './model.ts';

/** The members of a body except the id. */
export type Body = Readonly<Record<string, unknown>>;

/** A change of a collection. `at` selects the item by its remainder. */
export type Write =
  | { readonly kind: 'insert'; readonly prefix: string; readonly values: Body }
  | { readonly kind: 'patch'; readonly at: number; readonly values: Body }
  | { readonly kind: 'replace'; readonly at: number; readonly values: Body }
  | { readonly kind: 'delete'; readonly at: number }
  /** Deletes an item and creates another with its id. */
  | { readonly kind: 'renew'; readonly at: number; readonly values: Body }
  /** Changes a field that is in no filter or sort. */
  | { readonly kind: 'touch'; readonly at: number }
  | { readonly kind: 'tick'; readonly milliseconds: number };

interface Operation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Body;
}

const UNSET: Body = { ...Object.fromEntries(MEMBERS.map((name) => [name, null])), tags: [], seller_ids: [] };

/** A collection behind the API and its copy in the oracle. */
export class World {
  readonly api: ApiUnderTest;
  readonly target: Target;
  readonly collection = new OracleCollection(COMPARED_KINDS, SEARCHED, RELATIONS);
  #made = 0;
  #watched: CollectionQuery | null = null;
  readonly #keys = new Map<string, string>();
  readonly #stood = new Set<string>();
  readonly #moved = new Set<string>();

  private constructor(api: ApiUnderTest, target: Target) {
    this.api = api;
    this.target = target;
  }

  static async open(target: Target): Promise<World> {
    const api = await apiUnderTest(MODEL);
    const world = new World(api, target);
    for (const body of MAKERS) await world.#send({ method: 'POST', path: '/makers', body });
    for (const id of target.decoys.length > 0 ? ['s', 't'] : []) {
      await world.#send({ method: 'POST', path: '/shelves', body: { id } });
    }
    for (const path of target.decoys) await world.#send({ method: 'POST', path, body: { id: 'decoy', text: 'a' } });
    return world;
  }

  /** All values of the time field, and the current time, in milliseconds since the epoch. */
  times(): readonly number[] {
    const values = [...this.collection.items.values()].map((item) => String(valueAt(item, this.target.timeField)));
    return [...new Set([...values.map((text) => Date.parse(text)), this.api.clock.now()])].sort((a, b) => a - b);
  }

  /** Writes sequentially, one request each. */
  async write(...writes: readonly Write[]): Promise<void> {
    for (const write of writes) await this.#each([write], (operations) => this.#oneByOne(operations));
  }

  /** Writes in one atomic batch. */
  async batch(writes: readonly Write[]): Promise<void> {
    await this.#each(writes, async (operations) => {
      const seen = await this.#send({ method: 'POST', path: '/batches', body: { atomic: true, operations } });
      const results: readonly { readonly body?: Seen['body'] }[] = seen.body['results'];
      return results.map(({ body }) => body);
    });
  }

  /** Starts tracking the items whose compared fields do not change. */
  watch(question: CollectionQuery): void {
    this.#watched = question;
    for (const item of this.collection.items.values()) {
      this.#keys.set(item.id, this.#key(item));
      if (this.collection.matches(question, item)) this.#stood.add(item.id);
    }
  }

  /** Items that matched at the start of tracking and are unchanged since. */
  standing(): ReadonlySet<string> {
    return this.#stood.difference(this.#moved);
  }

  /** True if a compared field of the item changed during tracking. */
  hasMoved(id: string): boolean {
    return this.#moved.has(id);
  }

  async #each(
    writes: readonly Write[],
    send: (operations: readonly Operation[]) => Promise<readonly Seen['body'][]>,
  ): Promise<void> {
    const taken = new Set<string>();
    const operations = writes.flatMap((write) => this.#operations(write, taken));
    if (operations.length === 0) return;
    const bodies = await send(operations);
    for (const [index, operation] of operations.entries()) this.#keep(operation, bodies[index]);
  }

  async #oneByOne(operations: readonly Operation[]): Promise<readonly Seen['body'][]> {
    const bodies: Seen['body'][] = [];
    for (const operation of operations) bodies.push((await this.#send(operation)).body);
    return bodies;
  }

  async #send({ method, path, body }: Operation): Promise<Seen> {
    const seen = await this.api.send({ send: `${method} /api/v1${path}`, ...(body === undefined ? {} : { body }) });
    const wanted = { POST: 201, PUT: 200, PATCH: 200, DELETE: 204 }[method];
    assert.equal(seen.status, wanted, `${method} ${path} ${JSON.stringify(body)} answered ${seen.text}`);
    return seen;
  }

  /** @param taken items that the same batch already writes */
  #operations(write: Write, taken: Set<string>): readonly Operation[] {
    const { path, clientIds, timeField } = this.target;
    const set = (values: Body): Body =>
      timeField === 'at' && values['at'] === null ? { ...values, at: '2026-01-01T00:00:00Z' } : values;
    const complete = (values: Body): Body => set({ at: null, ...values });
    if (write.kind === 'tick') {
      this.api.clock.advance(write.milliseconds);
      return [];
    }
    if (write.kind === 'insert') {
      const id = clientIds ? { id: `${write.prefix}${++this.#made}` } : {};
      return [{ method: 'POST', path, body: { ...id, ...complete(write.values) } }];
    }
    const ids = [...this.collection.items.keys()].filter((id) => !taken.has(id));
    const id = ids[write.at % ids.length];
    if (id === undefined) return [];
    taken.add(id);
    const item = `${path}/${encodeURIComponent(id)}`;
    switch (write.kind) {
      case 'patch':
        return [{ method: 'PATCH', path: item, body: set(write.values) }];
      case 'touch':
        return [{ method: 'PATCH', path: item, body: { memo: `touched ${++this.#made}` } }];
      case 'replace':
        return [{ method: 'PUT', path: item, body: complete(write.values) }];
      case 'delete':
        return [{ method: 'DELETE', path: item }];
      case 'renew':
        if (!clientIds) return [{ method: 'DELETE', path: item }];
        return [
          { method: 'DELETE', path: item },
          { method: 'POST', path, body: { id, ...complete(write.values) } },
        ];
    }
  }

  #keep({ method, path, body = {} }: Operation, answer: Seen['body']): void {
    const { items } = this.collection;
    const now = new Date(this.api.clock.now()).toISOString();
    if (method === 'DELETE') {
      const id = decodeURIComponent(path.split('/').at(-1) ?? '');
      items.delete(id);
      this.#moved.add(id);
      return;
    }
    const old = method === 'POST' ? null : (items.get(String(answer['id'])) ?? null);
    const id = old?.id ?? String(body['id'] ?? answer['id']);
    assert.equal(answer['created_at'], old?.['created_at'] ?? now, 'created when it was made');
    const made = {
      id,
      created_at: answer['created_at'],
      updated_at: answer['updated_at'],
      revision: answer['revision'],
    };
    const item: Item = { ...UNSET, ...(method === 'PATCH' ? old : {}), ...body, ...made };
    items.set(id, item);
    this.#notice(item);
  }

  #notice(item: Item): void {
    if (this.#watched === null) return;
    const key = this.#key(item);
    if (this.#keys.getOrInsert(item.id, key) !== key) this.#moved.add(item.id);
  }

  #key(item: Item): string {
    const { order = [] } = this.#watched ?? {};
    const holds = this.#watched !== null && this.collection.matches(this.#watched, item);
    return JSON.stringify([holds, ...order.map(({ path }) => valueAt(item, path))]);
  }

  close(): Promise<void> {
    return this.api.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
