import { Random } from '../../../scripts/campaign/random.ts';
import type { RuledCaller, RuledModel } from '../../oracle/ruled-model.ts';
import type { Expected } from '../../oracle/ruled-reads.ts';
import { RuledServer } from '../../oracle/ruled-server.ts';
import type { Made, WriteRequest } from '../../oracle/ruled-writes.ts';
import { type ApiUnderTest, apiUnderTest, type Seen, type Setting } from '../support/api-under-test.ts';
import { callerTokens } from '../support/caller-tokens.ts';
import { decodedBody } from './decoded.ts';
import { differences, refusalDifferences } from './differences.ts';
import { serializeModel, randomCallers, randomModel } from './random-models.ts';
import { absentTwin } from './absent-twin.ts';
import { RandomRequests, type Request, type ServedCursor } from './random-requests.ts';
import { sentRequest, type SentRequest } from './sent-request.ts';

/** Requests of a sequence, after the rows that it begins with. */
const SEEDS = 14;

/** The response that the oracle expects. An NDJSON request has one for each line. */
type Answer = Expected & { readonly lines?: readonly Expected[] };

/** A sequence of requests over one random model, each judged by the oracle. */
export class Play {
  readonly #random: Random;
  readonly #api: ApiUnderTest;
  readonly #server: RuledServer;
  readonly #callers: readonly RuledCaller[];
  readonly #requests: RandomRequests;
  readonly #cursors: ServedCursor[] = [];
  readonly #batches: string[] = [];
  /** The bytes that an ETag of a URL was sent with. */
  readonly #tagged = new Map<string, string>();
  /** The requests that were sent, for a report. */
  readonly log: string[] = [];
  /** The responses: status, header fields and body. */
  readonly answers: string[] = [];
  sent = 0;

  private constructor(api: ApiUnderTest, model: RuledModel, random: Random) {
    this.#api = api;
    this.#random = random;
    this.#server = new RuledServer(model);
    this.#callers = randomCallers(model, random);
    this.#requests = new RandomRequests(model, this.#server.rows, random);
  }

  /**
   * Plays a sequence.
   *
   * @returns how many requests it sent
   * @throws {Error} with the seed and the last requests, where an answer is not the oracle's
   */
  static async run(seed: number, length: number): Promise<number> {
    return (await Play.of(seed, length)).sent;
  }

  /** Plays a sequence. @param setting the database, other than that of the suite @throws {Error} as `run` does */
  static async of(seed: number, length: number, setting: Pick<Setting, 'database'> = {}): Promise<Play> {
    const random = new Random(seed);
    const model = randomModel(random);
    const document = serializeModel(model);
    await using api = await apiUnderTest(document, { ...setting, tokens: callerTokens() });
    const play = new Play(api, model, random);
    try {
      for (let index = 0; index < SEEDS; index += 1) await play.#step(play.#requests.seed());
      for (let index = 0; index < length; index += 1)
        await play.#step(play.#requests.next({ cursors: play.#cursors, batches: play.#batches }));
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      for (const observed of api.observations)
        if ('error' in observed)
          play.log.push(`! ${String(observed.error instanceof Error ? observed.error.stack : observed.error)}`);
      throw new Error(`seed ${seed}: ${cause}\n${play.log.slice(-6).join('\n')}\nmodel ${document}`, { cause: error });
    }
    return play;
  }

  async #step(request: Request): Promise<void> {
    this.#api.clock.advance(this.#random.integer(0, 2));
    const caller = this.#random.pick(this.#callers);
    const isRead = request.kind === 'item' || request.kind === 'list' || request.kind === 'record';
    const sent = sentRequest(request, caller, this.#server);
    const twin = absentTwin(request, caller, this.#server.rows);
    const first = await this.#send(sent);
    this.#judge(request, caller, first);
    if (twin !== null) await this.#judgeTwin(first, sentRequest(twin, caller, this.#server));
    const second = await this.#send(sent);
    if (!isRead) return this.#judge(request, caller, second);
    this.#judge(request, caller, second);
    const [one, other] = [first, second].map((seen) => stable(seen));
    // A result that became a refusal has the time and the id of the request.
    if (request.kind === 'record') return;
    if (one !== other) throw new Error(`the second answer differs:\n${one}\n${other}`);
    await this.#judgeTags(sent, first);
  }

  async #send(sent: SentRequest): Promise<Seen> {
    this.sent += 1;
    const seen = await this.#api.send(sent);
    this.answers.push(`${sent.send}\n${stable(seen)}`);
    const token = sent.headers['Authorization'];
    const caller =
      token === undefined ? 'anonymous' : Buffer.from(token.slice('Bearer '.length), 'base64url').toString();
    const { Authorization: _token, ...headers } = sent.headers;
    this.log.push(
      `> ${sent.send} ${JSON.stringify(headers)} ${JSON.stringify(sent.body) ?? ''}\n  as ${caller}\n< ${seen.status} ${seen.text}`,
    );
    return seen;
  }

  #judge(request: Request, caller: RuledCaller, seen: Seen): void {
    const expected = this.#expected(request, caller, seen);
    const found = this.#differences(request, expected, seen);
    if (found.length > 0) throw new Error(found.join('\n'));
  }

  #expected(request: Request, caller: RuledCaller, seen: Seen): Answer {
    const { reads } = this.#server;
    const now = new Date(this.#api.clock.now()).toISOString();
    const location = (url: unknown): string => (typeof url === 'string' ? (url.split('/').at(-1) ?? '') : '');
    switch (request.kind) {
      case 'item':
        return reads.item(caller, request.resource, request.path, request);
      case 'list':
        return reads.list(caller, request.list);
      case 'write': {
        const id = (): string => location(seen.headers.get('location')) || servedId(seen);
        return this.#server.write(caller, request.write, selectKey(request), { now, id });
      }
      case 'batch': {
        const results: readonly { headers?: Record<string, string> }[] = seen.body['results'] ?? [];
        const made = request.operations.map(
          (_, index): Made => ({ now, id: () => location(results[index]?.headers?.['Location']) || `gone-${index}` }),
        );
        const id = String(seen.body['id']);
        if (seen.status === 201) this.#batches.push(id);
        return this.#server.batch(caller, request, id, made);
      }
      case 'lines': {
        const lines = parseLines(seen);
        const writes = request.bodies.map(
          (body): WriteRequest => ({ method: 'POST', resource: request.resource, path: request.path, body, ...PLAIN }),
        );
        const made = writes.map((_, index): Made => ({ now, id: () => String(lines[index]?.['id']) }));
        return this.#server.lines(caller, request.resource, request.path, writes, made);
      }
      case 'record':
        return this.#server.record(caller, request.id);
      case 'options':
        return { status: 204 };
    }
  }

  #differences(request: Request, expected: Answer, seen: Seen): readonly string[] {
    const { status, code, body, headers = {}, lines } = expected;
    if (expected.anyRefusal === true && seen.status >= 400 && seen.status < 500) return [];
    if (seen.status !== status)
      return [`status ${seen.status}, not ${status} ${code ?? ''} ${expected.fields?.join() ?? ''}`];
    const fields = Object.entries(headers).flatMap(([name, value]) =>
      (seen.headers.get(name) ?? null) === value ? [] : [`${name} is ${seen.headers.get(name)}, not ${value}`],
    );
    if (lines !== undefined) return [...fields, ...lineDifferences(lines, parseLines(seen))];
    const isJson = /[/+]json$/.test(seen.headers.get('content-type') ?? '');
    if (code !== undefined) {
      if (isJson) return [...fields, ...refusalDifferences(expected, seen.body, 'it')];
      return seen.text.includes(code) ? fields : [...fields, `the error has no ${code}`];
    }
    if (body === undefined) return [...fields, ...(seen.text === '' ? [] : ['there is a body'])];
    const onCursor = (token: string, place: ServedCursor['place']): void => {
      if (request.kind === 'list') this.#cursors.push({ token, place, list: request.list });
    };
    const compared = decodedBody(body, seen);
    return [...fields, ...differences(compared.expected, compared.served, 'body', onCursor)];
  }

  /** A hidden row gets the same response as an absent one (AUTH-5). */
  async #judgeTwin(hidden: Seen, sent: SentRequest): Promise<void> {
    const absent = await this.#send(sent);
    if (stable(hidden) !== stable(absent))
      throw new Error(`hidden is not as absent:\n${stable(hidden)}\n${stable(absent)}`);
  }

  /** One URL and one ETag are one string of bytes, whoever asks; and only the own one is not modified. */
  async #judgeTags(sent: SentRequest, { headers, text, status }: Seen): Promise<void> {
    const etag = headers.get('etag');
    if (status !== 200 || etag === undefined) return;
    const place = JSON.stringify([sent.send.replace('HEAD', 'GET'), sent.headers['Accept'], sent.body]);
    const known = this.#tagged.get(`${place} ${etag}`);
    if (known !== undefined && known !== text) throw new Error(`${etag} names other bytes, too:\n${known}\n${text}`);
    this.#tagged.set(`${place} ${etag}`, text);
    const others = [...this.#tagged.keys()]
      .filter((each) => each.startsWith(`${place} `))
      .map((each) => each.slice(place.length + 1));
    const listed = this.#random.chance(0.5) ? [etag] : others.filter((each) => each !== etag);
    if (listed.length === 0) return;
    const conditional = await this.#send({ ...sent, headers: { ...sent.headers, 'If-None-Match': listed.join(', ') } });
    const wanted = listed.includes(etag) ? 304 : 200;
    if (conditional.status !== wanted)
      throw new Error(`If-None-Match: ${listed.join()} is ${conditional.status}, not ${wanted}`);
    if (wanted === 200 && conditional.headers.get('etag') !== etag) throw new Error('the ETag changes');
  }
}

const PLAIN = { dry: false, ifMatch: null, ifNoneMatch: false, minimal: false, lenient: false } as const;

/** The id of a representation in any format, which a dry run gives no location. */
function servedId({ text }: Seen): string {
  return /(?:"id":"|<id>|^id: )([\w-]+)/m.exec(text)?.[1] ?? '';
}

/** Selects the idempotency key of a write. POST and PATCH alone have keys, and a dry run keeps none. */
function selectKey({ write, key }: Extract<Request, { kind: 'write' }>): string | null {
  return (write.method === 'POST' || write.method === 'PATCH') && !write.dry ? key : null;
}

/** An answer without what differs in every answer. */
function stable({ status, headers, text }: Seen): string {
  const kept = [...headers].filter(([name]) => !['date', 'x-correlation-id', 'traceresponse'].includes(name));
  const plain = text.replaceAll(/(?<=correlationId\W{1,3})[0-9a-f-]{36}/g, '');
  return JSON.stringify([status, kept, plain]);
}

function parseLines({ status, text }: Seen): readonly Record<string, unknown>[] {
  return status === 200
    ? text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : [];
}

function lineDifferences(expected: readonly Expected[], served: readonly Record<string, unknown>[]): readonly string[] {
  if (served.length !== expected.length) return [`${served.length} lines, not ${expected.length}`];
  return expected.flatMap((each, index) => {
    const line = served[index] ?? {};
    if (each.code !== undefined) return lineRefusal(each, line['error'], `line ${index + 1}`);
    const wanted = [each.status, each.headers?.['location']];
    return String([line['status'], line['location']]) === String(wanted)
      ? []
      : [`line ${index + 1} is ${JSON.stringify(line)}, not ${String(wanted)}`];
  });
}

/** A faulty line may be judged before the lines before it are written: then their rows are not there yet. */
function lineRefusal(expected: Expected, served: unknown, path: string): readonly string[] {
  const { details = [] } = (served ?? {}) as { details?: readonly { field: string; message: string }[] };
  const late = details.filter(
    ({ field, message }) => message.startsWith('refers to nothing') && !expected.fields?.includes(field),
  );
  // References to nothing rank before what the caller may not write.
  if (expected.code?.endsWith('_FORBIDDEN') && late.length > 0 && late.length === details.length) return [];
  const isFaulty = expected.code?.endsWith('_INVALID') && late.length < details.length;
  return isFaulty
    ? refusalDifferences(
        { ...expected, fields: [...(expected.fields ?? []), ...late.map(({ field }) => field)] },
        served,
        path,
      )
    : refusalDifferences(expected, served, path);
}
