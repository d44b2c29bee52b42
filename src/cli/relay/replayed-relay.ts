import type { JsonObject } from '../../conventions/json/json.ts';
import { BROKER_RULES, BROKERS } from '../../model/compile/settings/broker-rules.ts';
import { compileRelays } from '../../model/compile/settings/relays.ts';
import { judgeRelays } from '../../model/compile/settings/judge-relays.ts';
import type { Model } from '../../model/model.ts';
import type { BrokerKind, RelaySettings } from '../../model/relay-settings.ts';
import { type CommandError, usageError } from '../command-error.ts';

/** Flags of `relay` that describe where to send. */
export interface ReplayTargetFlags {
  /** The URL of a broker, or the name of a relay of the model. */
  readonly to?: string;
  readonly destination?: string;
  readonly types?: string;
  readonly format?: string;
  readonly create?: boolean;
}

/**
 * Finds the relay to which `relay` sends: one of the model, or one that the flags describe.
 *
 * @throws {CommandError} exit 2 for a name that the model does not have, and settings that fit no broker
 */
export function findReplayedRelay(model: Model, flags: ReplayTargetFlags): RelaySettings {
  const { to = '' } = flags;
  if (to === '') throw usageError('--to is missing; write the URL of a broker, or the name of a relay of the model.');
  const kind = BROKERS.find((each) => listStarts(each).some((start) => to.startsWith(start)));
  if (kind !== undefined) return describedRelay(model, kind, flags);
  if (to.includes('://')) throw unknownScheme();
  const found = model.events.relays.find(({ name }) => name === to);
  if (found === undefined) throw unknownRelay(model, to);
  if (flags.destination !== undefined || flags.types !== undefined || flags.format !== undefined)
    throw usageError('--destination, --types and --format are those of the relay in the model; write --to with a URL.');
  return found;
}

function unknownScheme(): CommandError {
  return usageError(`--to: the URL is of no broker; it starts with one of ${BROKERS.flatMap(listStarts).join(', ')}.`);
}

/** The starts of the URLs of a broker. */
function listStarts(kind: BrokerKind): readonly string[] {
  const { plain, encrypted } = BROKER_RULES[kind];
  return [`${plain}://`, `${encrypted}://`];
}

function unknownRelay({ events: { relays } }: Model, name: string): CommandError {
  const known = relays.length === 0 ? 'it has none' : `it has ${relays.map((each) => each.name).join(', ')}`;
  return usageError(`--to: the model has no relay ${name}; ${known}. Write the URL of a broker for another one.`);
}

/** Compiles the relay of the flags as a model would have it. */
function describedRelay(model: Model, kind: BrokerKind, flags: ReplayTargetFlags): RelaySettings {
  const { to = '', destination, types, format, create } = flags;
  const entry: JsonObject = {
    [kind]: to,
    create: create === true,
    ...(destination === undefined ? {} : { [BROKER_RULES[kind].destination]: destination }),
    ...(types === undefined ? {} : { types: types.split(',') }),
    ...(format === undefined ? {} : { format: readFormat(format) }),
  };
  const problems: string[] = [];
  const report = (_: unknown, cause: string, fix: string): void => void problems.push(`${cause}; ${fix}.`);
  const document = { declared: { name: model.name, events: { relays: [entry] } }, path: [], report };
  const [relay] = compileRelays(document);
  if (relay !== undefined && problems.length === 0)
    judgeRelays({ ...model, events: { ...model.events, relays: [relay] } }, document);
  const [problem] = problems;
  if (relay === undefined || problem !== undefined) throw usageError(`--to: ${problem ?? 'the relay is invalid.'}`);
  return relay;
}

function readFormat(format: string): string {
  if (format !== 'native' && format !== 'cloudevents')
    throw usageError(`--format: ${format} is no format of events; use native or cloudevents.`);
  return format;
}
