import { sequenceText } from '../../conventions/events/event.ts';
import type { Json } from '../../conventions/json/json.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { BrokerKind, RelaySettings } from '../../model/relay-settings.ts';
import type { Model, Resource } from '../../model/model.ts';
import { VisibleRows } from '../../operations/visible-rows.ts';
import { readNumber, readString } from '../../model/values/access.ts';
import type { FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import { createPlan, deletePlan, updatePlan, type WriteAuthor } from '../../plan/write/write-plan.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../stores/store.ts';

/** The state of a relay, as callers read it (EVT-9). */
export interface RelayState {
  readonly name: string;
  readonly broker: BrokerKind;
  /** Host and port, without credentials. */
  readonly address: string;
  /** The template, as the model has it. */
  readonly destination: string;
  readonly format: RelaySettings['format'];
  /** MAJOR.MINOR.PATCH of its events. */
  readonly version: string;
  readonly types: readonly string[];
  /** The sequence up to which the log has been sent; 0 before the first event. */
  readonly position: number;
  /** Events of the log after the position. */
  readonly lag: number;
  readonly state: 'running' | 'failing';
  /** The last error of this process, without credentials; null for none: the row then has that of an earlier one. */
  readonly lastError: { readonly text: string; readonly at: number } | null;
  /** When the broker last acknowledged events to this process, in milliseconds since the epoch; null for never. */
  readonly sentAt: number | null;
}

/** The lag of a relay, for everyone: without addresses and errors. */
export interface RelayLag {
  readonly name: string;
  readonly state: string;
  /** Events of the log after its position. */
  readonly lag: number;
}

/** Options of the rows of relays. */
export interface RelayRowsOptions {
  readonly model: Pick<Model, 'resources'>;
  /** Name of the resource of relays. */
  readonly resource: string;
  readonly store: Pick<Store, 'rows' | 'stamps' | 'writes'>;
  readonly clock: Clock;
}

/** Attempts of a write that another process of the API comes between. */
const MAX_ATTEMPTS = 5;
/** Rows that are read at a time. */
const PAGE = 100;

/** Reads and writes the rows of relays, for the system. */
export class RelayRows {
  readonly #options: RelayRowsOptions;
  readonly #rows: VisibleRows;
  readonly #resource: Resource;

  /** @throws {Error} if the model has no such resource */
  constructor(options: RelayRowsOptions) {
    const resource = options.model.resources.get(options.resource);
    if (resource === undefined) throw new Error(`the model has no resource ${options.resource}`);
    this.#options = options;
    this.#rows = VisibleRows.unrestricted(options.store);
    this.#resource = resource;
  }

  /** Creates or changes the row of a relay. Writes nothing if it is the same. */
  async write(state: RelayState): Promise<void> {
    const resource = this.#resource;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const row = await this.#rows.item({ resource: resource.name, id: state.name, within: [] });
      const values = toValues(state, row);
      const plan =
        row === null
          ? createPlan(this.#author(), { resource, within: [], id: state.name }, values)
          : updatePlan(this.#author(), { resource, within: [], row }, { ...row, ...values });
      if (plan === null || (await this.#commit([plan]))) return;
    }
  }

  /** Deletes the rows of relays that the model no longer has. @param names of those that it has */
  async removeOthers(names: readonly string[]): Promise<void> {
    const resource = this.#resource;
    for (const row of await this.list()) {
      if (!names.includes(row.id)) await this.#commit([deletePlan(this.#author(), { resource, within: [], row })]);
    }
  }

  /** Lists the states and lags of all relays, by name. */
  async lags(): Promise<readonly RelayLag[]> {
    const rows = await this.list();
    return rows.map(({ id, state, lag }) => ({
      name: id,
      state: readString(state) ?? '',
      lag: readNumber(lag) ?? 0,
    }));
  }

  /** Lists all rows, by name. */
  async list(): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (let after: Row | null = null, isLast = false; !isLast; after = found.at(-1) ?? null) {
      const { rows } = await this.#rows.list({
        kind: 'list',
        resource: this.#resource.name,
        within: [],
        filter: after === null ? [] : [{ path: 'id', operator: 'gt', value: after.id }],
        order: [{ path: 'id', descending: false }],
        window: { kind: 'seek', after: null, backward: false, limit: PAGE },
        count: { kind: 'none' },
        effort: 'light',
      });
      found.push(...rows);
      isLast = rows.length < PAGE;
    }
    return found;
  }

  async #commit(plans: readonly WritePlan[]): Promise<boolean> {
    const { kind } = await this.#options.store.writes.commit({ plans });
    return kind === 'committed';
  }

  #author(): WriteAuthor {
    const at = timestamp(this.#options.clock.now());
    // Relays publish no events, which alone have the other members.
    return { events: null, origin: { correlationId: '', traceId: '', actor: null, at } };
  }
}

/** @param row that is changed; null for a new one */
function toValues(
  { name: _id, lastError, sentAt, position, types, ...state }: RelayState,
  row: Row | null,
): FieldValues {
  const stored = (field: string): Json => row?.[field] ?? null;
  return {
    ...state,
    types: [...types],
    position: sequenceText(position),
    last_error: lastError === null ? stored('last_error') : lastError.text,
    last_error_at: lastError === null ? stored('last_error_at') : timestamp(lastError.at),
    sent_at: sentAt === null ? stored('sent_at') : timestamp(sentAt),
  };
}
