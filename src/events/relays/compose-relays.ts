import type { Contracts } from '../../contract/contract.ts';
import type { Model } from '../../model/model.ts';
import type { RelayTarget } from '../../model/relay-settings.ts';
import { VisibleRows } from '../../operations/visible-rows.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OpenedRelay } from '../dispatch.ts';
import type { Subscriptions } from '../retention/undelivered-events.ts';
import type { Broker } from './broker.ts';
import type { LoggedEvent, Store } from '../../stores/store.ts';
import { formatTemplate } from './destination.ts';
import type { RelayReport } from './relay-progress.ts';
import { RelayRows, type RelayState } from './relay-rows.ts';
import { compileRelay, type Relay } from './relay.ts';

export interface RelayParts {
  readonly model: Model;
  readonly contracts: Contracts;
  readonly store: Store;
  /** The scheme and authority of URLs in events. */
  readonly origin: () => string;
  readonly clock: Clock;
  readonly onCommit: () => void;
}

/** The relays of an API, for the program that dispatches events. */
export interface Relays {
  readonly all: readonly Relay[];
  /** The subscriptions of the relays: what they have not sent is held. */
  readonly subscriptions: readonly Subscriptions[];
  /** Opens the rows in which callers read their states. */
  readonly openRows: () => RelayRows;
}

/** Composes the relays of an API. */
export function composeRelays({ model, contracts, origin, ...parts }: RelayParts): Relays {
  const all = model.events.relays.map((settings) => compileRelay(settings, { contracts, origin }));
  return { all, subscriptions: all.map(describeSubscription), openRows: () => openRows({ model, ...parts }) };
}

/** @throws {Error} where the model has no relays */
function openRows({ model, ...parts }: Omit<RelayParts, 'contracts' | 'origin'>): RelayRows {
  const { relays: resource } = model;
  if (resource === null) throw new Error('the model has no relays');
  return new RelayRows({ ...parts, model, resource, rows: VisibleRows.unrestricted(parts.store) });
}

function describeSubscription({ reader, patterns, compose }: Relay): Subscriptions {
  const subscription = {
    name: reader,
    patterns,
    ordered: true,
    accepts: (event: LoggedEvent) => compose(event) !== null,
  };
  return { name: reader, subscriptions: () => [subscription] };
}

/**
 * Opens the brokers of relays, and the rows of their states.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openRelays(
  relays: Relays,
  open: (target: RelayTarget) => Promise<Broker>,
): Promise<readonly OpenedRelay[]> {
  const { all } = relays;
  if (all.length === 0) return [];
  const rows = relays.openRows();
  await rows.removeOthers(all.map(({ settings: { name } }) => name));
  return Promise.all(
    all.map(async (relay) => {
      const broker = await open(relay.settings.target);
      const fixed = describeRelay(relay, broker);
      return { relay, broker, report: (report) => rows.write({ ...fixed, ...report }) };
    }),
  );
}

/** Describes the part of a relay's state that its settings decide. */
function describeRelay({ settings, version }: Relay, { address }: Broker): Omit<RelayState, keyof RelayReport> {
  const { name, target, format, types } = settings;
  return {
    name,
    broker: target.kind,
    address,
    destination: formatTemplate(target.destination),
    format,
    version,
    types,
  };
}
