import type { Contracts } from '../../contract/contract.ts';
import type { Model } from '../../model/model.ts';
import type { RelayTarget } from '../../model/relay-settings.ts';
import type { OpenedRelay } from '../dispatch.ts';
import type { Subscriptions } from '../retention/undelivered-events.ts';
import type { Broker } from './broker.ts';
import type { LoggedEvent } from '../../stores/store.ts';
import { compileRelay, type Relay } from './relay.ts';

export interface RelayParts {
  readonly model: Model;
  readonly contracts: Contracts;
  /** The scheme and authority of URLs in events. */
  readonly origin: () => string;
}

/** The relays of an API, for the program that dispatches events. */
export interface Relays {
  readonly all: readonly Relay[];
  /** The subscriptions of the relays: what they have not sent is held. */
  readonly subscriptions: readonly Subscriptions[];
}

/** Composes the relays of an API. */
export function composeRelays({ model, ...source }: RelayParts): Relays {
  const all = model.events.relays.map((settings) => compileRelay(settings, source));
  return { all, subscriptions: all.map(describeSubscription) };
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
 * Opens the brokers of relays.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openRelays(
  { all }: Relays,
  open: (target: RelayTarget) => Promise<Broker>,
): Promise<readonly OpenedRelay[]> {
  return Promise.all(
    all.map(async (relay) => ({ relay, broker: await open(relay.settings.target), report: () => Promise.resolve() })),
  );
}
