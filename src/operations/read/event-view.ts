import { weakMemoize } from '../../cache/memoize.ts';
import { type EventEnvelope, type EventPayload, ofActor } from '../../conventions/events/event.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import { versionText } from '../../conventions/versioning.ts';
import type { ContractVersion } from '../../model/contract-version.ts';
import { hasRoles } from '../../model/auth-rules.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { PolicyCaller } from '../../model/policy.ts';
import { type Contract, versionedBase } from '../../contract/contract.ts';
import { fulfils } from '../../contract/permission.ts';
import { wasVisible } from '../../plan/policy/holds.ts';
import type { Ancestor, FieldValues, Row } from '../../plan/plan.ts';
import { UNRESTRICTED } from '../../plan/policy/visibilities.ts';
import { publishedFields } from '../../model/event-types.ts';
import { eventsAdminScope } from '../../plan/event-rules.ts';

/** An event of the log, with the values that policies compare. */
export interface JudgedEvent {
  readonly event: EventEnvelope;
  /**
   * The compared values before and after the change, each null if there was no row or none was compared. The member is
   * null or absent if they are not known.
   */
  readonly access?: {
    readonly before: FieldValues | null;
    readonly after: FieldValues | null;
    /** The paths at which changed objects differ. */
    readonly members?: readonly string[];
  } | null;
  /** The values as the older contract has them under which the event was written; null or absent for the newest one. */
  readonly original?: {
    readonly version: ContractVersion;
    readonly changed: readonly string[];
    readonly data: JsonObject | null;
  } | null;
}

/** The part of an event that a consumer sees: the row, or only that it is no longer visible. */
export type EventSight = 'row' | 'left';

/** A reader of events. */
export interface EventConsumer {
  /** null for the operator of the API, who sees every event with all fields that events have. */
  readonly caller: PolicyCaller | null;
  /** The contract of the version that it reads, with every field. */
  readonly contract: Contract;
  /** The newest contract, in which events are logged. */
  readonly current: Contract;
  /** Scheme and authority of URLs. */
  readonly origin: () => string;
}

/**
 * Shows the events of a log to one consumer (EVT-3, EVT-8): those of rows that were visible to it before or after the
 * change. It shows the fields that the consumer may read, in its version. One event is always the same for one
 * consumer.
 */
export class EventView {
  readonly #consumer: EventConsumer;
  /** The consumer's contract without the fields that it may not read. */
  readonly #shown: Contract;

  constructor(consumer: EventConsumer) {
    this.#consumer = consumer;
    const { contract, caller } = consumer;
    this.#shown = caller === null ? contract : contract.permitted(caller).contract;
  }

  /** Identifies the form of representations: the same for all consumers of one version with one *permission*. */
  get form(): object {
    return this.#shown;
  }

  /** Shows the event as the consumer sees it; null if it does not see the event. */
  of(judged: JudgedEvent): EventEnvelope | null {
    const sight = this.sightOf(judged);
    return sight === 'none' ? null : this.represent(judged, sight);
  }

  /** Decides which part of an event the consumer sees. */
  sightOf(judged: JudgedEvent): EventSight | 'none' {
    const stored = this.resourceOf(judged.event);
    if (stored === null || !this.#shown.model.resources.has(stored.name)) return 'none';
    return this.#judge(judged, stored);
  }

  /** Represents an event that the consumer sees. */
  represent(judged: JudgedEvent, sight: EventSight): EventEnvelope {
    const { event } = judged;
    const stored = this.resourceOf(event);
    const shown = stored === null ? undefined : this.#shown.model.resources.get(stored.name);
    if (stored === null || shown === undefined) throw new Error(`the consumer does not see events of ${event.type}`);
    return this.#represent(judged, stored, shown, sight);
  }

  /** Finds the resource of an event in the newest model. */
  resourceOf({ payload }: EventEnvelope): Resource | null {
    return resourcesBySingular(this.#consumer.current.model).get(payload.resource.type) ?? null;
  }

  #judge({ event, access }: JudgedEvent, resource: Resource): EventSight | 'none' {
    const { caller, current } = this.#consumer;
    if (caller === null) return 'row';
    const isAuthenticated = current.model.auth !== null;
    if (isAuthenticated && !fulfils(resource.access.read, caller.scopes)) return 'none';
    if (isAuthenticated && caller.scopes?.has(eventsAdminScope(current.model)) === true) return 'row';
    const { model } = current;
    // The rules of the database judge rows, not events.
    if (hasRoles(model) && resource.table !== null) return 'none';
    const visible = (isAuthenticated ? current.visibilities(caller) : UNRESTRICTED).whole(resource.name);
    if (visible.kind === 'everything') return 'row';
    const holds = (values: FieldValues): boolean => wasVisible(model.resources, resource, values, visible);
    const { data, resource: row } = event.payload;
    const { before = null, after = null } = access ?? {};
    const isDeletion = event.type === `${resource.singular}.deleted`;
    if (holds({ ...data, ...(isDeletion ? before : after), id: row.id })) return 'row';
    return !isDeletion && before !== null && holds({ ...before, id: row.id }) ? 'left' : 'none';
  }

  #represent(judged: JudgedEvent, stored: Resource, shown: Resource, sight: EventSight): EventEnvelope {
    const { event } = judged;
    const { contract, origin } = this.#consumer;
    const verb = event.type.slice(event.type.lastIndexOf('.') + 1);
    const { payload, metadata } = event;
    // Events of earlier versions are stored as envelopes without it.
    const { caller }: Partial<Pick<typeof metadata, 'caller'>> = metadata;
    const within = eventAncestors(stored, payload, this.#consumer.current);
    const { id } = payload.resource;
    const base = versionedBase(contract.model, contract.model.publicUrl ?? origin());
    const data =
      sight === 'row' && payload.data !== undefined
        ? this.#publishedData(judged, payload.data, stored, shown)
        : undefined;
    return {
      id: event.id,
      type: `${shown.singular}.${verb}`,
      payload: {
        timestamp: payload.timestamp,
        resource: { type: shown.singular, id, url: contract.urls.item(base, shown, within, id) },
        parents: within.map((above) => ({
          type: contract.model.resources.get(above.resource)?.singular ?? '',
          id: above.id,
        })),
        changed_fields: this.#changedFields(judged, stored, shown),
        ...(data === undefined ? {} : { data }),
      },
      metadata: { ...metadata, schema_version: contractVersion(contract), caller: caller ?? ofActor(metadata.actor) },
    };
  }

  /** The values of an event that was written under the contract that the consumer reads. */
  #findOwn({ original = null }: JudgedEvent): JudgedEvent['original'] {
    const { version } = this.#consumer.contract.model;
    return original !== null && versionText(original.version) === versionText(version) ? original : null;
  }

  /** Lists the fields of the version whose values changed, without those that the consumer may not read. */
  #changedFields(judged: JudgedEvent, { name }: Resource, { field }: Resource): readonly string[] {
    const { changed_fields: names } = judged.event.payload;
    const own = this.#findOwn(judged)?.changed;
    const mapping = this.#consumer.contract.mapping?.resources.get(name);
    const members = judged.access?.members ?? [];
    const changed = own ?? (mapping === undefined ? names : names.flatMap((each) => mapping.changed(each, members)));
    return [...new Set(changed)].filter((each) => field.has(each));
  }

  #publishedData(judged: JudgedEvent, data: JsonObject, { name }: Resource, shown: Resource): JsonObject {
    const { id } = judged.event.payload.resource;
    const mapping = this.#consumer.contract.mapping?.resources.get(name);
    const row: Row = { created_at: '', updated_at: '', revision: 0, ...data, id };
    const own = this.#findOwn(judged)?.data ?? null;
    const values = own ?? (mapping === undefined ? row : mapping.down(row));
    const published = publishedFields(shown).map((each) => each.name);
    // An event is the same bytes in its own contract (EVT-1): members have the order in which they were logged.
    const names = own === null ? published : [...new Set([...Object.keys(own), ...published])];
    const allowed = new Set(published);
    return Object.fromEntries([
      ['id', id],
      ...names.filter((each) => allowed.has(each)).map((each) => [each, values[each] ?? null]),
    ]);
  }
}

const resourcesBySingular = weakMemoize(
  ({ resources }: Model) => new Map([...resources.values()].map((resource) => [resource.singular, resource])),
);

/** Lists the rows above the row of an event, nearest first. */
function eventAncestors(resource: Resource, { parents }: EventPayload, { model }: Contract): readonly Ancestor[] {
  const within: Ancestor[] = [];
  let { parent } = resource;
  for (const { id } of parents) {
    if (parent === null) break;
    within.push({ resource: parent.resource, id });
    parent = model.resources.get(parent.resource)?.parent ?? null;
  }
  return within;
}

function contractVersion({ model: { version } }: Contract): string {
  return `${version.major}.${version.minor}`;
}
