import type { EventEnvelope } from '../../../conventions/events/event.ts';
import type { Model } from '../../../model/model.ts';
import type { EventLog, EventQuery, ExpiryQuery, LoggedEvent, LogRange } from '../../store.ts';
import type { SqlValue, Statement } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import type { SystemStatements } from '../system-statements.ts';
import { idTime } from './append-event.ts';
import type { Tables } from '../tables.ts';
import { readShapes, type ReadShapes, StoredEvent } from './event-codec.ts';
import { BLOCK_SIZE, findBlock, type EventStatements, eventStatements } from './event-statements.ts';
import { packTexts } from './packed-text.ts';

const ALWAYS = Number.MAX_SAFE_INTEGER;

/** The end of a log whose events may become visible in another order than that of their sequences. */
export interface LogEnd {
  /** A sequence up to which nothing can appear any more, as far as that is known without a read. */
  readonly known: number;
  /** The last such sequence. */
  settledSequence(): Promise<number>;
}

/**
 * The event log. Where sequences are counted, they become visible in order. Else nothing is read above the end up to
 * which nothing can appear any more (EVT-3).
 */
export class SqlEventLog implements EventLog {
  readonly #client: SqlClient;
  readonly #system: Pick<SystemStatements, 'lastSequence'>;
  readonly #statements: EventStatements;
  readonly #shapes: ReadShapes;
  readonly #end: LogEnd | null;

  constructor(
    client: SqlClient,
    { system, dialect, recordForms }: Pick<Tables, 'system' | 'dialect' | 'recordForms'>,
    model: Model,
    end: LogEnd | null = null,
  ) {
    this.#client = client;
    this.#end = end;
    this.#system = system;
    this.#statements = eventStatements(dialect);
    this.#shapes = readShapes(model, recordForms.older);
  }

  async after(sequence: number, limit: number): Promise<readonly EventEnvelope[]> {
    return (await this.list({ after: sequence, limit })).map(({ event }) => event);
  }

  async list(asked: EventQuery): Promise<readonly LoggedEvent[]> {
    const query = await this.#settled(asked);
    const { from, to } = query;
    if (from === undefined && to === undefined) return this.#list(query);
    const { first = null, last = null } =
      (await this.#client.get(this.#statements.blocks(from ?? -ALWAYS, to ?? ALWAYS))) ?? {};
    if (first === null || last === null) return [];
    const after = Math.max(query.after, Number(first) * BLOCK_SIZE);
    const until = Math.min(query.until ?? ALWAYS, blockEnd(Number(last)));
    return this.#list({ ...query, after, until });
  }

  async types(after: number, until: number): Promise<readonly string[]> {
    const rows = await this.#client.all(this.#statements.types(after, until));
    return rows.map(({ type }) => String(type));
  }

  lookup(sequences: readonly number[]): Promise<readonly LoggedEvent[]> {
    return this.#read(this.#statements.of(JSON.stringify(sequences.map(String))));
  }

  async find(id: string): Promise<LoggedEvent | null> {
    const time = idTime(id);
    const [event = null] = await this.#read(this.#statements.byId(time, time, packTexts([id])));
    return event;
  }

  async lastSequence(): Promise<number> {
    if (this.#end !== null) return this.#end.settledSequence();
    return Number((await this.#client.get(this.#system.lastSequence()))?.['last'] ?? 0);
  }

  /** The query without events before which others may still appear. */
  async #settled(query: EventQuery): Promise<EventQuery> {
    const { until = ALWAYS } = query;
    if (this.#end === null || until <= this.#end.known) return query;
    return { ...query, until: Math.min(until, await this.#end.settledSequence()) };
  }

  async range(): Promise<LogRange> {
    const end = this.#end === null ? null : await this.#end.settledSequence();
    const { removed = 0, event = 0, since = null } = (await this.#client.get(this.#statements.range())) ?? {};
    return { removed: Number(removed), last: end ?? Number(event), since: since === null ? null : Number(since) };
  }

  async nextExpired({ before, now, maxRows }: ExpiryQuery): Promise<number | null> {
    const { removed, last } = await this.range();
    const block = (await this.#client.get(this.#statements.expiredBlock(before, before, now)))?.['block'] ?? null;
    // Events that are added to the last block from now on stay.
    const byAge = block === null ? 0 : Math.min(blockEnd(Number(block)), last);
    const byNumber = maxRows === null ? 0 : blockEnd(findBlock(last - maxRows + 1) - 1);
    const through = Math.max(byAge, byNumber);
    return through <= removed ? null : Math.min(through, blockEnd(findBlock(removed + 1)));
  }

  async #list(query: EventQuery): Promise<readonly LoggedEvent[]> {
    const { resourceId, types, resourceType, orResource } = query;
    if (orResource !== undefined) return this.#ofEither(query, orResource);
    if (types !== undefined || resourceType !== undefined) return this.#ofTypes(query);
    const { window, ofResource } = this.#statements;
    const values = windowValues(query);
    return this.#read(resourceId === undefined ? window(...values) : ofResource(packTexts([resourceId]), ...values));
  }

  async #ofEither(query: EventQuery, { id, types }: OtherResource): Promise<readonly LoggedEvent[]> {
    const { orResource: _, ...own } = query;
    const either = [await this.#list(own), await this.#list({ ...own, resourceId: id, types })].flat();
    return either.sort((one, other) => one.sequence - other.sequence).slice(0, query.limit);
  }

  /** Only blocks with events of a shape are read: the first sequences of each are merged. */
  async #ofTypes(query: EventQuery): Promise<readonly LoggedEvent[]> {
    const { types, resourceType, resourceId, limit } = query;
    if (resourceId !== undefined) return this.#ofResource(query, resourceId);
    const shapes = await this.#client.all(this.#statements.shapes());
    const matching = shapes.filter(
      ({ type, resource }) =>
        (types?.includes(String(type)) ?? true) && (resourceType === undefined || resource === resourceType),
    );
    const blocks = [findBlock(query.after + 1), findBlock(query.until ?? ALWAYS)];
    const sequences: number[] = [];
    for (const { id = 0 } of matching) {
      const rows = await this.#client.all(this.#statements.ofShape(id, ...blocks, id, ...windowValues(query)));
      sequences.push(...rows.map((row) => Number(row['sequence'])));
    }
    return this.lookup(sequences.sort((one, other) => one - other).slice(0, limit));
  }

  /** The events of a resource are few: those of other types are skipped. */
  async #ofResource(query: EventQuery, resourceId: string): Promise<readonly LoggedEvent[]> {
    const { types, resourceType, limit } = query;
    const found: LoggedEvent[] = [];
    let { after } = query;
    for (;;) {
      const values = windowValues({ ...query, after });
      const page = await this.#read(this.#statements.ofResource(packTexts([resourceId]), ...values));
      const matching = page.filter(
        (logged) =>
          (types?.includes(logged.type) ?? true) &&
          (resourceType === undefined || logged.event.payload.resource.type === resourceType),
      );
      found.push(...matching);
      const last = page.at(-1);
      if (last === undefined || page.length < limit || found.length >= limit) return found.slice(0, limit);
      after = last.sequence;
    }
  }

  async #read(statement: Statement): Promise<readonly LoggedEvent[]> {
    return (await this.#client.all(statement)).map((row) => new StoredEvent(row, this.#shapes));
  }
}

type OtherResource = NonNullable<EventQuery['orResource']>;

/** The last sequence of a block. */
function blockEnd(block: number): number {
  return (block + 1) * BLOCK_SIZE;
}

/** The values of the window of a query, and its limit. */
function windowValues({ after, until = ALWAYS, from = -ALWAYS, to = ALWAYS, limit }: EventQuery): readonly SqlValue[] {
  return [after, until, from, to, limit];
}
