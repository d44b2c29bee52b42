import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Broker, BrokerPackageMissing } from '../../events/relays/broker.ts';
import { openBroker } from '../../events/relays/open-broker.ts';
import { replayEvents, type ReplayOptions, type ReplayResult } from '../../events/relays/relay-replay.ts';
import type { RelaySettings } from '../../model/relay-settings.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { commandFailed, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT, valueOption } from '../command-spec.ts';
import { type DatabaseFlags, databaseLocation, requireDatabase, usedDatabase } from '../database-settings.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { openWithoutServer } from '../open-database.ts';
import { findReplayedRelay, type ReplayTargetFlags } from '../relay/replayed-relay.ts';
import { countNoun, reportProgress } from '../terminal/progress.ts';
import { readStopSignal, supportsColour, type Terminal, toExitCode } from '../terminal/terminal.ts';

interface RelayFlags extends DatabaseFlags, ReplayTargetFlags {
  readonly from?: string;
  readonly until?: string;
  readonly json?: boolean;
}

const BROKER = 'Broker:';
const EVENTS = 'Events:';
/** Attempts in a row without progress, after which the command gives up, and the milliseconds between them. */
const ATTEMPTS = 5;
const RETRY_DELAY = 1_000;

/**
 * Sends a part of the log to a broker once.
 *
 * @returns 0 when all of it is sent, 130 or 143 when a signal stopped it
 * @throws {CommandError} exit 2 for settings that cannot be used; exit 1 for a model, database or broker that cannot
 */
async function relayCommand(file: string, flags: RelayFlags, terminal: Terminal): Promise<ExitCode> {
  const from = readSequence('--from', flags.from);
  const until = flags.until === undefined ? null : readSequence('--until', flags.until);
  const { model } = await requireModel(file, terminal.env);
  const settings = findReplayedRelay(model, flags);
  const used = usedDatabase(databaseLocation(flags, terminal.env), model.name);
  requireDatabase(used);
  const signal = terminal.stopSignal();
  const broker = await openTarget(settings, path.dirname(file));
  const replayed = { ...model, events: { ...model.events, relays: [settings] } };
  const { api, store, close } = await openWithoutServer(replayed, { ...used, modelFile: file }, terminal);
  try {
    const last = Math.min(until ?? Number.MAX_SAFE_INTEGER, await store.events.lastSequence());
    const relay = api.relays.all.find(({ settings: { name } }) => name === settings.name);
    if (relay === undefined) throw new Error(`the relay ${settings.name} was not compiled`);
    const result = await replay({ relay, broker, events: store.events, from, until: last }, terminal, signal);
    if (result.problem !== null && !signal.aborted)
      throw commandFailed(`${broker.address}: ${result.problem}. ${resumeHint(result)}`);
    printResult(result, { address: broker.address, json: flags.json === true, isStopped: signal.aborted }, terminal);
    return signal.aborted ? toExitCode(readStopSignal(signal)) : 0;
  } finally {
    await broker.close();
    await close();
  }
}

type Replayed = Pick<ReplayOptions, 'relay' | 'broker' | 'events' | 'from' | 'until'>;

/** Sends the events with a progress bar. */
async function replay(replayed: Replayed, { stderr, env }: Terminal, signal: AbortSignal): Promise<ReplayResult> {
  const { from, until } = replayed;
  const progress = reportProgress('events', stderr, supportsColour(stderr, env));
  const began = monotonicNow();
  const shared = { noun: 'event', start: 0, total: until - from + 1 };
  try {
    return await replayEvents({
      ...replayed,
      onProgress: ({ position, sent }) =>
        progress.show({ ...shared, rows: sent, done: position - from + 1, elapsed: monotonicNow() - began }),
      waitAfter: async (_, failures) => {
        if (failures < ATTEMPTS) await sleep(RETRY_DELAY, undefined, { signal }).catch(() => undefined);
        return failures < ATTEMPTS && !signal.aborted;
      },
      isStopped: () => signal.aborted,
    });
  } finally {
    progress.end();
  }
}

/** @throws {CommandError} exit 1 where the package of the broker's client is not installed */
async function openTarget({ target }: RelaySettings, folder: string): Promise<Broker> {
  try {
    return await openBroker(target, folder);
  } catch (error) {
    if (error instanceof BrokerPackageMissing) throw commandFailed(error.message);
    throw error;
  }
}

interface ResultForm {
  readonly address: string;
  readonly json: boolean;
  readonly isStopped: boolean;
}

function printResult(result: ReplayResult, { address, json, isStopped }: ResultForm, { stdout }: Terminal): void {
  const { position, sent } = result;
  if (json)
    stdout.write(`${JSON.stringify({ sent, position, outcome: isStopped ? 'stopped' : 'complete' }, null, 2)}\n`);
  else if (isStopped) stdout.write(`stopped after ${countNoun(sent, 'event')}. ${resumeHint(result)}\n`);
  else stdout.write(`sent ${countNoun(sent, 'event')} to ${address}, up to sequence ${position}\n`);
}

function resumeHint({ position }: ReplayResult): string {
  return `Go on with --from ${position + 1}`;
}

/** @throws {CommandError} exit 2 where it is not a whole number from 1 */
function readSequence(flag: string, text: string | undefined): number {
  if (text === undefined) throw usageError(`${flag} is missing; write the sequence of the first event, such as 1.`);
  const sequence = /^[0-9]{1,20}$/.test(text) ? Number(text) : 0;
  if (sequence >= 1 && sequence <= Number.MAX_SAFE_INTEGER) return sequence;
  throw usageError(`${flag}: ${text} is no sequence; write a whole number from 1.`);
}

export const relaySpec: CommandSpec = {
  name: 'relay',
  group: 'Data:',
  summary: 'send a part of the event log to a message broker',
  description:
    'Sends a part of the event log to a message broker once, in order. Relays of the model, which run for ever, keep their positions.',
  arguments: [MODEL_ARGUMENT],
  options: [
    valueOption('to', 'url', 'URL of a broker (nats, redis, amqp, kafka), or the name of a relay of the model', BROKER),
    valueOption('destination', 'template', 'subject, stream, exchange or topic, such as shop.{type}', BROKER),
    { name: 'create', value: null, description: 'create a missing stream, exchange or topic', group: BROKER },
    valueOption('from', 'sequence', 'first event to send', EVENTS),
    valueOption('until', 'sequence', 'last event to send (default: the last one of the log)', EVENTS),
    valueOption('types', 'types', 'types and patterns, such as product.*,order.created (default: *)', EVENTS),
    valueOption('format', 'format', 'native or cloudevents (default: native)', EVENTS),
    ...DATABASE_OPTIONS,
    jsonOption('the result'),
  ],
  notes: `Examples:
  restwright relay shop.yaml --to nats://127.0.0.1:4222 --from 1
  restwright relay shop.yaml --to shop-events --from 1200 --until 1300
`,
  run: ([model = findModel()], flags: RelayFlags, terminal) => relayCommand(model, flags, terminal),
};
