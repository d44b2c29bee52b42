import { versionText } from '../../../conventions/versioning.ts';
import type { Model } from '../../../model/model.ts';
import { type EventConversion, eventConversions } from '../../../versions/event-conversion.ts';
import type { Dialect, SqlRow, Statement } from '../dialect.ts';
import { packEvent, readShapes, type ReadShapes, StoredEvent } from '../events/event-codec.ts';
import { eventStatements, findBlock } from '../events/event-statements.ts';

/** The events of one read. */
const BATCH = 1_000;
const END = Number.MAX_SAFE_INTEGER;

/** Statements that write converted values, and the next read. */
export interface ConvertedBatch {
  readonly writes: readonly Statement[];
  /** null after the last read. */
  readonly next: Statement | null;
}

/** Values outside of tables that a migration converts, in batches. */
export interface BatchConversion {
  readonly first: Statement;
  /** @param rows of a read, in its order */
  convert(rows: readonly SqlRow[]): ConvertedBatch;
}

/**
 * Rewrites the events that were written since the older contract was the newest, so that its model alone can read them.
 * Those that it wrote are as they were.
 */
class EventReturn implements BatchConversion {
  readonly #source: NonNullable<Model['returnFrom']>;
  readonly #dialect: Dialect;
  readonly #shapes: ReadShapes;

  /** @param isPaired true if the older model was served next to the newest one */
  constructor(source: NonNullable<Model['returnFrom']>, isPaired: boolean, dialect: Dialect) {
    this.#source = source;
    this.#dialect = dialect;
    this.#shapes = readShapes(source.newest, isPaired ? source.version : null);
  }

  get first(): Statement {
    return this.#read(0);
  }

  convert(rows: readonly SqlRow[]): ConvertedBatch {
    const last = rows.at(-1);
    const next = last === undefined || rows.length < BATCH ? null : this.#read(Number(last['sequence']));
    return { writes: rows.flatMap((row) => this.#rewrite(row)), next };
  }

  #read(after: number): Statement {
    return eventStatements(this.#dialect).window(after, END, -END, END, BATCH);
  }

  #rewrite(row: SqlRow): readonly Statement[] {
    const { newest, version } = this.#source;
    const stored = new StoredEvent(row, this.#shapes);
    const { original, access, event } = stored;
    const conversion = eventConversions(newest)(version, event.payload.resource.type);
    const isOwn = original !== null && versionText(original.version) === versionText(version.version);
    // An event of an earlier version of Restwright, or of a resource that the older contract does not have.
    if (isOwn || access === null || conversion === null) return [];
    const draft = lowerEvent(stored, conversion);
    const { type, resourceType, shape, data, detail } = packEvent(draft);
    const { addShape, addBlockShape, replaceEvent } = eventStatements(this.#dialect);
    return [
      addShape(type, resourceType, shape),
      addBlockShape(findBlock(stored.sequence), shape, FIRST_SLOT),
      replaceEvent(shape, data, detail, stored.sequence),
    ];
  }
}

/** The event as the older contract would have logged it. */
function lowerEvent({ event, access }: StoredEvent, conversion: EventConversion): Parameters<typeof packEvent>[0] {
  const { payload, metadata } = event;
  const { older, version } = conversion;
  const { changed, data, before, after } = conversion.lower({
    changed: payload.changed_fields,
    ...(access?.members === undefined ? {} : { members: access.members }),
    data: payload.data ?? null,
    before: access?.before ?? null,
    after: access?.after ?? null,
  });
  const { data: _data, ...rest } = payload;
  const { trace_id, correlation_id, actor } = metadata;
  return {
    id: event.id,
    type: `${older.singular}${event.type.slice(event.type.lastIndexOf('.'))}`,
    payload: {
      ...rest,
      resource: { ...payload.resource, type: older.singular },
      changed_fields: changed,
      ...(data === null ? {} : { data }),
    },
    metadata: { trace_id, correlation_id, schema_version: `${version.major}.${version.minor}`, actor },
    access: { writer: access?.writer ?? UNKNOWN_WRITER, before, after },
  };
}

/** No transaction overlaps with a migration: it may note what it changes in any slot. */
const FIRST_SLOT = 0;

const UNKNOWN_WRITER = { issuer: null, subject: null, client: null };

/**
 * The conversion of the events of a database that goes back to an older contract; empty for other migrations.
 *
 * @param from the version of its rows before: the older one, where its model was served next to the newest one
 */
export function planEvents({ returnFrom }: Model, from: string | null, dialect: Dialect): readonly BatchConversion[] {
  if (returnFrom === undefined || from === null) return [];
  const isPaired = from !== versionText(returnFrom.newest.version);
  return [new EventReturn(returnFrom, isPaired, dialect)];
}
