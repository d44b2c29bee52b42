import type { DestinationTemplate, RelayTarget } from '../../../model/relay-settings.ts';
import { describeFailure } from './connection-settings.ts';
import type { NatsSession } from './nats-session.ts';

/** Nanoseconds in which a stream that is created refuses repeated ids: the default of JetStream. */
const DUPLICATE_WINDOW = 120e9;

/** The stream of a relay: its name, and the subjects of the template. */
interface StreamPlan {
  readonly name: string;
  readonly subject: string;
}

/** Plans the stream for a target; null where the template has no fixed token that could name it. */
export function planStream({ destination, stream }: RelayTarget): StreamPlan | null {
  const subject = coveringSubject(destination);
  if (subject === null) return null;
  const [token = ''] = subject.split('.');
  return { name: stream ?? token.toUpperCase().replaceAll(/[^\w-]/g, '_'), subject };
}

/** The subjects of a template: `shop.{collection}` is covered by `shop.>`. */
function coveringSubject(template: DestinationTemplate): string | null {
  const variable = template.findIndex((part) => typeof part !== 'string');
  const fixed = template
    .slice(0, variable < 0 ? template.length : variable)
    .filter((part) => typeof part === 'string')
    .join('');
  if (variable < 0) return fixed;
  const end = fixed.lastIndexOf('.');
  return end < 1 ? null : `${fixed.slice(0, end)}.>`;
}

/** The problem of a missing stream, with its solution. */
export function describeMissingStream(target: RelayTarget, subject: string): string {
  const plan = planStream(target);
  const missing =
    target.stream === null
      ? `no stream stores the subject ${subject}`
      : `the stream ${target.stream} does not exist, or does not store ${subject}`;
  if (plan === null) return `${missing}; create a stream that does`;
  return `${missing}; create it (nats stream add ${plan.name} --subjects "${plan.subject}"), or set create: true`;
}

/** Creates the stream of a target. @throws {Error} where the server refuses it */
export async function createStream({ manager }: NatsSession, target: RelayTarget, subject: string): Promise<void> {
  const plan = planStream(target);
  if (plan === null)
    throw new Error(`no stream stores the subject ${subject}; create one, or begin the subject with a fixed token`);
  try {
    await manager.streams.add({
      name: plan.name,
      subjects: [plan.subject],
      storage: 'file',
      duplicate_window: DUPLICATE_WINDOW,
    });
  } catch (cause) {
    throw new Error(`the stream ${plan.name} cannot be created for ${plan.subject}: ${describeFailure(cause)}`, {
      cause,
    });
  }
}

/** The state of a stream when a connection begins: `unknown` where this user may not read it. */
export type StreamState = 'missing' | 'unknown' | LastMessage;

/** The last message of a stream; null where it is empty. */
interface LastMessage {
  readonly id: string | null;
}

/** Reads the state of the stream that stores a subject. */
export async function readStream(
  { manager, library }: NatsSession,
  stream: string | null,
  subject: string,
): Promise<StreamState> {
  const { JetStreamApiCodes, JetStreamApiError } = library.jetstream;
  try {
    const name = stream ?? (await manager.streams.find(subject));
    const last = await manager.streams.getMessage(name, { last_by_subj: '>' });
    return { id: last?.header.get('Nats-Msg-Id') ?? null };
  } catch (error) {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    return isMissing ? 'missing' : 'unknown';
  }
}
