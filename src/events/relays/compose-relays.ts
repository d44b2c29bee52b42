import type { Contracts } from '../../contract/contract.ts';
import type { Model } from '../../model/model.ts';
import type { RelayTarget } from '../../model/relay-settings.ts';
import type { OpenedRelay } from '../dispatch.ts';
import type { Subscriptions } from '../retention/undelivered-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Broker } from './broker.ts';
import { formatTemplate } from './destination.ts';
import type { ReportRelay } from './relay-progress.ts';
import { RelayRows, type RelayRowsOptions, type RelayState } from './relay-rows.ts';
import type { LoggedEvent } from '../../stores/store.ts';
import { compileRelay, type Relay } from './relay.ts';

export interface RelayParts {
  readonly model: Model;
  readonly store: RelayRowsOptions['store'];
  readonly clock: Clock;
  readonly contracts: Contracts;
  /** The scheme and authority of URLs in events. */
  readonly origin: () => string;
}

/** The relays of an API, for the program that dispatches events. */
export interface Relays {
  readonly all: readonly Relay[];
  /** The subscriptions of the relays: what they have not sent is held. */
  readonly subscriptions: readonly Subscriptions[];
  /** Their states, as callers read them; null where the model has no relays. */
  readonly rows: RelayRows | null;
}

/** Composes the relays of an API. */
export function composeRelays({ model, store, clock, ...source }: RelayParts): Relays {
  const all = model.events.relays.map((settings) => compileRelay(settings, source));
  const rows = model.relays === null ? null : new RelayRows({ model, resource: model.relays, store, clock });
  return { all, subscriptions: all.map(describeSubscription), rows };
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
 * Opens the brokers of relays, and deletes the rows of relays that the model no longer has.
 *
 * @throws {BrokerPackageMissing}
 */
export async function openRelays(
  { all, rows }: Relays,
  open: (target: RelayTarget) => Promise<Broker>,
  clock: Clock,
): Promise<readonly OpenedRelay[]> {
  const opened = await Promise.all(
    all.map(async (relay) => {
      const broker = await open(relay.settings.target);
      const report = rows === null ? ignoreReport : reportInto(rows, describeRelay(relay, broker), clock);
      return { relay, broker, report };
    }),
  );
  await rows?.removeOthers(all.map(({ settings }) => settings.name));
  return opened;
}

function ignoreReport(): Promise<void> {
  return Promise.resolve();
}

/** Describes what does not change while the relay runs. */
function describeRelay({ settings, version }: Relay, { address }: Broker): FixedState {
  const { name, types, format, target } = settings;
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

type FixedState = Omit<RelayState, 'position' | 'lag' | 'state' | 'lastError' | 'sentAt'>;

/** Writes the reports of a relay into its row, with the time at which its last error began. */
function reportInto(rows: RelayRows, fixed: FixedState, clock: Clock): ReportRelay {
  let lastError: RelayState['lastError'] = null;
  return ({ problem, ...report }) => {
    if (problem !== null && problem !== lastError?.text) lastError = { text: problem, at: clock.now() };
    return rows.write({ ...fixed, ...report, lastError });
  };
}
