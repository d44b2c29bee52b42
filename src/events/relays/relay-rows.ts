import { sequenceText } from '../../conventions/events/event.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { BrokerKind, RelaySettings } from '../../model/relay-settings.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { VisibleRows } from '../../operations/visible-rows.ts';
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
  /** The last reason why the broker took no more, without credentials; null if this process knows none. */
  readonly lastError: string | null;
  /** Milliseconds since the epoch; null if this process knows no error. */
  readonly lastErrorAt: number | null;
  /** When the broker last acknowledged events, in milliseconds since the epoch; null if not in this process. */
  readonly sentAt: number | null;
}

/** Options of the rows of relays. */
export interface RelayRowsOptions {
  readonly model: Pick<Model, 'resources'>;
  /** Name of the resource of relays. */
  readonly resource: string;
  readonly rows: VisibleRows;
  readonly store: Pick<Store, 'writes'>;
  readonly clock: Clock;
  readonly onCommit: () => void;
}

/** Attempts of a write that another process of the API comes between. */
const MAX_ATTEMPTS = 5;
/** Rows that are read at a time. */
const PAGE = 100;

/** Writes the rows of relays, for the system. */
export class RelayRows {
  readonly #options: RelayRowsOptions;
  readonly #resource: Resource;

  /** @throws {Error} if the model has no such resource */
  constructor(options: RelayRowsOptions) {
    const resource = options.model.resources.get(options.resource);
    if (resource === undefined) throw new Error(`the model has no resource ${options.resource}`);
    this.#options = options;
    this.#resource = resource;
  }

  /** Creates or changes the row of a relay. Writes nothing if it is the same. */
  async write(state: RelayState): Promise<void> {
    const resource = this.#resource;
    const values = toValues(state);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const row = await this.#options.rows.item({ resource: resource.name, id: state.name, within: [] });
      const plan =
        row === null
          ? createPlan(this.#author(), { resource, within: [], id: state.name }, values)
          : updatePlan(this.#author(), { resource, within: [], row }, { ...row, ...withoutUnknown(values) });
      if (plan === null || (await this.#commit([plan]))) return;
    }
  }

  /** Deletes the rows of relays that the model no longer has. @param names of those that it has */
  async removeOthers(names: readonly string[]): Promise<void> {
    const resource = this.#resource;
    for (const row of await this.#list()) {
      if (!names.includes(row.id)) await this.#commit([deletePlan(this.#author(), { resource, within: [], row })]);
    }
  }

  async #list(): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (let after: Row | null = null, isLast = false; !isLast; after = found.at(-1) ?? null) {
      const { rows } = await this.#options.rows.list({
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
    if (kind === 'committed') this.#options.onCommit();
    return kind === 'committed';
  }

  #author(): WriteAuthor {
    const at = timestamp(this.#options.clock.now());
    // Relays publish no events, which alone have the other members.
    return { events: null, origin: { correlationId: '', traceId: '', actor: null, at } };
  }
}

/** Leaves out what this process does not know: another one may have stored it. */
function withoutUnknown(values: FieldValues): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function toValues({ name: _id, lastError, lastErrorAt, sentAt, position, types, ...state }: RelayState): FieldValues {
  return {
    ...state,
    types: [...types],
    position: sequenceText(position),
    last_error: lastError,
    last_error_at: lastErrorAt === null ? null : timestamp(lastErrorAt),
    sent_at: sentAt === null ? null : timestamp(sentAt),
  };
}
