import type { Random } from '../../../scripts/campaign/random.ts';
import type { ExchangeRow, Seen } from '../../pipeline/support/api-under-test.ts';
import { type CopiedModel, type CopiedResource, type FieldSchema, randomValue } from './random-copied-model.ts';

/** A request that writes. */
type Write = Required<Pick<ExchangeRow, 'send' | 'headers'>> & Pick<ExchangeRow, 'body'>;

/** Sends a request to all databases that should have the same rows. @returns one of the answers */
export type SendToAll = (row: Write) => Promise<Seen>;

/** A row that was written, and may have been deleted meanwhile. */
interface KnownRow {
  readonly resource: string;
  /** `/api/v1/teams/a`. */
  readonly url: string;
}

const API = '/api/v1';
const IDS = ['a', 'b', 'c', 'd', 'é/%😀'];

/** Random writes to the rows of a model: single ones, with and without keys, batches and NDJSON. */
export class RandomWrites {
  /** URLs of rows, also of those that were deleted. */
  readonly urls = new Set<string>();
  /** Requests with a key that have created a row, and what they were answered. */
  readonly keyed: { readonly row: Write; readonly answer: Seen }[] = [];
  /** The paths of batches that were made. */
  readonly batches: string[] = [];
  /** The number of successful requests of each kind. */
  readonly made: Record<'create' | 'update' | 'delete' | 'batch' | 'lines', number> = {
    create: 0,
    update: 0,
    delete: 0,
    batch: 0,
    lines: 0,
  };
  readonly #model: CopiedModel;
  readonly #random: Random;
  readonly #send: SendToAll;
  readonly #rows: KnownRow[] = [];
  #keys = 0;
  #learns = true;

  constructor(model: CopiedModel, random: Random, send: SendToAll) {
    this.#model = model;
    this.#random = random;
    this.#send = send;
  }

  /** The names of resources whose rows have no parent. */
  get roots(): readonly string[] {
    return Object.keys(this.#model.resources).filter((name) => this.#resource(name).parent === undefined);
  }

  /** @param options whether to write to new rows, too: their ids are others in each database */
  async run(count: number, { learns } = { learns: true }): Promise<void> {
    this.#learns = learns;
    for (let at = 0; at < count; at += 1) await this.#one();
  }

  async #one(): Promise<void> {
    const random = this.#random;
    const name = random.pick(Object.keys(this.#model.resources));
    const kind = random.pick(['create', 'create', 'create', 'update', 'update', 'delete', 'batch', 'lines'] as const);
    const collection = this.#collection(name);
    if (collection === null) return;
    if (kind === 'batch') return this.#batch();
    if (kind === 'lines') return this.#lines(name, collection);
    if (kind === 'create') return this.#create(name, collection);
    const url = this.#urlOf(name);
    if (url === null) return;
    const body = kind === 'delete' ? undefined : this.#body(name, 0.3);
    const send = `${kind === 'delete' ? 'DELETE' : 'PATCH'} ${url}`;
    const { status } = await this.#send({
      send,
      headers: kind === 'delete' ? {} : { 'Content-Type': 'application/merge-patch+json' },
      ...(body === undefined ? {} : { body }),
    });
    if (status < 300) this.made[kind] += 1;
  }

  async #create(name: string, collection: string): Promise<void> {
    const random = this.#random;
    if (this.#resource(name).id === 'client' && random.chance(0.3)) {
      const url = `${collection}/${encodeURIComponent(random.pick(IDS))}`;
      const { status } = await this.#send({ send: `PUT ${url}`, headers: {}, body: this.#body(name) });
      if (status < 300) this.made[status === 201 ? 'create' : 'update'] += 1;
      if (status === 201) this.#learn(name, url);
      return;
    }
    const isKeyed = random.chance(0.3);
    const headers: Record<string, string> = isKeyed ? { 'Idempotency-Key': `key-${(this.#keys += 1)}` } : {};
    const row = { send: `POST ${collection}`, headers, body: this.#newBody(name) };
    const answer = await this.#send(row);
    if (answer.status !== 201) return;
    if (isKeyed) this.keyed.push({ row, answer });
    this.made.create += 1;
    this.#learn(name, answer.headers.get('location') ?? '');
  }

  async #batch(): Promise<void> {
    const random = this.#random;
    const operations = Array.from({ length: random.integer(1, 3) }, () => {
      const name = random.pick(this.roots);
      const url = random.chance(0.3) ? this.#urlOf(name) : null;
      const path = (url ?? `${API}/${name}`).slice(API.length);
      return url === null
        ? { method: 'POST', path, body: this.#newBody(name) }
        : { method: 'PATCH', path, body: this.#body(name, 0.2) };
    });
    const { status, body, headers } = await this.#send({
      send: `POST ${API}/batches`,
      headers: {},
      body: { atomic: random.chance(0.5), operations },
    });
    if (status !== 201) return;
    this.made.batch += 1;
    this.batches.push(headers.get('location') ?? '');
    const results: readonly { readonly status?: number; readonly headers?: Record<string, string> }[] = body.results;
    for (const [at, result] of results.entries()) {
      const name = operations[at]?.path.split('/')[1] ?? '';
      const location = result.headers?.['Location'];
      if (result.status === 201 && location !== undefined) this.#learn(name, location);
    }
  }

  async #lines(name: string, collection: string): Promise<void> {
    const bodies = Array.from({ length: 3 }, () => `${JSON.stringify(this.#newBody(name))}\n`);
    const { status, text } = await this.#send({
      send: `POST ${collection}`,
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: bodies.join(''),
    });
    if (status !== 200) return;
    this.made.lines += 1;
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const { location } = JSON.parse(line);
      if (typeof location === 'string') this.#learn(name, location);
    }
  }

  #learn(resource: string, url: string): void {
    if (!this.#learns) return;
    this.urls.add(url);
    this.#rows.push({ resource, url });
  }

  #resource(name: string): CopiedResource {
    const resource = this.#model.resources[name];
    if (resource === undefined) throw new Error(`there is no resource ${name}`);
    return resource;
  }

  #urlOf(resource: string): string | null {
    const all = this.#rows.filter((row) => row.resource === resource);
    return all.length === 0 ? null : this.#random.pick(all).url;
  }

  /** null where no parent is known. */
  #collection(name: string): string | null {
    const { parent } = this.#resource(name);
    if (parent === undefined) return `${API}/${name}`;
    const above = this.#urlOf(parent);
    return above === null ? null : `${above}/${name}`;
  }

  #newBody(name: string): Readonly<Record<string, unknown>> {
    const id = this.#resource(name).id === 'client' ? { id: this.#random.pick(IDS) + this.#random.integer(0, 99) } : {};
    return { ...id, ...this.#body(name) };
  }

  #body(name: string, share = 0.8): Readonly<Record<string, unknown>> {
    const { properties, required = [] } = this.#resource(name).schema;
    const sent = Object.entries(properties).filter(
      ([field, { readOnly = false }]) => !readOnly && (required.includes(field) || this.#random.chance(share)),
    );
    return Object.fromEntries(sent.map(([field, schema]) => [field, this.#value(schema, required.includes(field))]));
  }

  #value(schema: FieldSchema, isRequired: boolean): unknown {
    const random = this.#random;
    const target = schema['x-references']?.resource;
    if (target !== undefined) return this.#idOf(target);
    const many = schema.items?.['x-references']?.resource;
    if (many !== undefined) {
      const ids = Array.from({ length: random.integer(0, 3) }, () => this.#idOf(many));
      return [...new Set(ids)].filter((id) => id !== null);
    }
    if (!isRequired && schema.type !== 'array' && random.chance(0.15)) return null;
    return schema['x-unique'] === true ? `unique ${random.integer(0, 30)}` : randomValue(schema, random);
  }

  #idOf(resource: string): string | null {
    const url = this.#urlOf(resource);
    return url === null || this.#random.chance(0.2) ? null : decodeURIComponent(url.split('/').at(-1) ?? '');
  }
}
