import { ANONYMOUS_CALLER } from '../../auth/policy-caller.ts';
import { CLOUD_EVENT_TYPE, cloudEvent, eventTraceparent } from '../../conventions/events/cloud-event.ts';
import type { EventEnvelope } from '../../conventions/events/event.ts';
import { matchesType } from '../../conventions/events/event-pattern.ts';
import type { Contract, Contracts } from '../../contract/contract.ts';
import { dataSchemaUri } from '../../describe/asyncapi/data-schema.ts';
import type { RelaySettings } from '../../model/relay-settings.ts';
import { EventView } from '../../operations/read/event-view.ts';
import type { LoggedEvent } from '../../stores/store.ts';
import { compileEventSelection, storedPatterns } from '../event-selection.ts';
import { writeDestination } from './destination.ts';
import { findContract } from '../webhooks/find-contract.ts';
import type { RelayMessage } from './broker.ts';

/** A relay of the event log to a broker (EVT-9), ready to make messages of events. */
export interface Relay {
  readonly settings: RelaySettings;
  /** MAJOR.MINOR.PATCH of its events. */
  readonly version: string;
  /** Names its reader in the database, which holds its position: `relay:shop`. */
  readonly reader: string;
  /** Patterns of types as the log has them. */
  readonly patterns: readonly string[];
  /** True if the relay sends events of a type, as the log has it: unless its filter excludes them. */
  readonly sends: (type: string) => boolean;
  /** Makes the message of an event: the same bytes at each attempt. null where the relay does not send the event. */
  readonly compose: (event: LoggedEvent) => RelayMessage | null;
}

/** The API whose events are relayed. */
export interface RelaySource {
  readonly contracts: Contracts;
  /** The scheme and authority of URLs in events. */
  readonly origin: () => string;
}

/**
 * Compiles a relay. It is the operator's: policies do not hold for it, but `events: none` and `writeOnly` fields do,
 * since no event has them.
 *
 * @throws {Error} where its version is not served, which the model excludes
 */
export function compileRelay(settings: RelaySettings, { contracts, origin }: RelaySource): Relay {
  const { current } = contracts;
  const contract = settings.version === null ? current : findContract(settings.version, contracts);
  if (contract === null) throw new Error(`the relay ${settings.name} has a version that is not served`);
  const { types, filter } = settings;
  const view = new EventView({ caller: null, contract, current, origin });
  const passes = compileEventSelection(filter, types, { caller: ANONYMOUS_CALLER, contract });
  const write = compileMessage(settings, contract, origin);
  const patterns = contract === current ? types : storedPatterns(types, contract, contracts);
  const sends = (type: string): boolean => patterns.some((pattern) => matchesType(pattern, type));
  return {
    settings,
    version: contract.version,
    reader: `relay:${settings.name}`,
    patterns,
    sends,
    compose(event) {
      if (!sends(event.type)) return null;
      const seen = view.of(event);
      return seen === null || !passes(seen) ? null : write(seen, event.sequence);
    },
  };
}

/** Compiles the form of the messages of a relay. */
function compileMessage(
  { format, target }: RelaySettings,
  { model }: Contract,
  origin: () => string,
): (event: EventEnvelope, sequence: number) => RelayMessage {
  const { name, basePath, publicUrl } = model;
  const collections = new Map([...model.resources.values()].map(({ singular, collection }) => [singular, collection]));
  const isCloudEvent = format === 'cloudevents';
  const write = (event: EventEnvelope): string => {
    if (!isCloudEvent) return JSON.stringify(event);
    const source = `${publicUrl ?? origin()}${basePath}`;
    return JSON.stringify(cloudEvent(event, { name, source, dataschema: dataSchemaUri(source, event) }));
  };
  return (event, sequence) => {
    const { type, id } = event.payload.resource;
    const parts = { event, collection: collections.get(type) ?? type };
    return {
      id: event.id,
      sequence,
      type: event.type,
      destination: writeDestination(target.destination, parts),
      routingKey: target.routingKey === null ? '' : writeDestination(target.routingKey, parts),
      key: `${type}/${id}`,
      contentType: isCloudEvent ? CLOUD_EVENT_TYPE : 'application/json; charset=utf-8',
      traceparent: eventTraceparent(event),
      body: write(event),
    };
  };
}
