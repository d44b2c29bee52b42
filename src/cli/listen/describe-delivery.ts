import type { Json } from '../../conventions/json/json.ts';
import { escapeControls } from '../../observe/log-readable.ts';
import { styled } from '../terminal/terminal.ts';
import type { JudgedDelivery } from './webhook-receiver.ts';

const STYLES = {
  valid: 'green',
  invalid: 'red',
  unverified: 'yellow',
  unsigned: 'yellow',
} as const satisfies Readonly<Record<JudgedDelivery['verdict']['kind'], Parameters<typeof styled>[0]>>;

/** Lines of a body that are shown. */
const MAX_LINES = 60;
/** Characters of a line of a body. */
const MAX_LINE = 500;
/** Header fields that JSON has, other than those of the signature. */
const FURTHER_FIELDS: ReadonlySet<string> = new Set(['content-type', 'user-agent']);

/**
 * A delivery for a person: a line, the reason where it is invalid, and the body below.
 *
 * @param colour true if the output supports colours
 */
export function describeDelivery(delivery: JudgedDelivery, colour: boolean): string {
  const { verdict, status, attempt, headers } = delivery;
  const body = decodeBody(delivery);
  const id = headers['webhook-id'];
  const facts = [
    new Date(delivery.time).toISOString().slice(11, 23),
    styled(STYLES[verdict.kind], verdict.kind.padEnd(10), colour),
    String(status),
    findType(body.json),
    ...(attempt === null ? [] : [`attempt ${attempt}`]),
    ...(typeof id === 'string' ? [styled('dim', `id ${escapeControls(id)}`, colour)] : []),
  ];
  const reason = verdict.kind === 'invalid' ? [`  ${verdict.reason.code}: ${verdict.reason.message}`] : [];
  const shown = body.json === undefined ? body.text : JSON.stringify(body.json, null, 2);
  const lines = cutLines(shown).map((line) => styled('dim', `  ${escapeControls(line)}`, colour));
  return `${[facts.join('  '), ...reason, ...lines].join('\n')}\n`;
}

/** A delivery as one line of JSON. Its shape is documented in docs/guides/webhooks.md. */
export function deliveryJson(delivery: JudgedDelivery): string {
  const { time, verdict, status, attempt, path, headers } = delivery;
  const body = decodeBody(delivery);
  return `${JSON.stringify({
    time: new Date(time).toISOString(),
    verdict: verdict.kind,
    reason: verdict.kind === 'invalid' ? verdict.reason : null,
    status,
    attempt,
    path,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || FURTHER_FIELDS.has(name)),
    ),
    event: body.json ?? null,
    ...(body.json === undefined ? { body: body.text } : {}),
  })}\n`;
}

interface DecodedBody {
  readonly text: string;
  /** undefined where it is not JSON. */
  readonly json: Json | undefined;
}

function decodeBody({ body }: JudgedDelivery): DecodedBody {
  const text = body.toString('utf8');
  try {
    const json: Json = JSON.parse(text);
    return { text, json };
  } catch {
    return { text, json: undefined };
  }
}

/** The type of an event in either format. */
function findType(event: Json | undefined): string {
  const isObject = typeof event === 'object' && event !== null && !Array.isArray(event);
  const type = isObject && 'type' in event ? event['type'] : undefined;
  return typeof type === 'string' ? escapeControls(type) : '-';
}

function cutLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const shown = lines
    .slice(0, MAX_LINES)
    .map((each) => (each.length > MAX_LINE ? `${each.slice(0, MAX_LINE)}…` : each));
  const hidden = lines.length - shown.length;
  return hidden === 0 ? shown : [...shown, `… and ${hidden} more lines; --json prints all of it`];
}
