import { isDeepStrictEqual } from 'node:util';
import { type Client, toCurl, type JsonObject, type Received, type Request, isObject, toText } from './client.ts';
import { Judge } from './judge.ts';
import { KnownRows, type KnownRow } from './known-rows.ts';
import { type Random } from './random.ts';
import { parentMembers, type Resource } from './resources.ts';

/** A response that the contract does not allow. */
export interface Finding {
  /** The clause and what it demands. */
  readonly rule: string;
  readonly what: string;
  readonly curl: string;
  /** The number of the request, from 1. */
  readonly request: number;
  readonly response: string;
}

const MAX_SHOWN = 600;

/** One run: what is known of the server, and what was found. Each request is judged by itself, then by its scenario. */
export class Session {
  readonly rows = new KnownRows();
  readonly findings: Finding[] = [];
  readonly random: Random;
  /** Requests by scenario. */
  readonly counts = new Map<string, number>();
  requests = 0;
  scenario = '';
  readonly #client: Client;
  readonly #origin: string;
  readonly #judge = new Judge();
  #last: { readonly request: Request; readonly response: Received } | null = null;

  constructor(client: Client, origin: string, random: Random) {
    this.#client = client;
    this.#origin = origin;
    this.random = random;
  }

  /**
   * Sends a request and judges its response by what holds for every response.
   *
   * @param request its `target` is below `/api/v1` unless it begins with `/api`
   */
  async send(request: Request): Promise<Received> {
    const target = /^\/(api|\/)/.test(request.target) ? request.target : `/api/v1${request.target}`;
    const sent = { ...request, target };
    const response = await this.#client.send(sent);
    this.requests += 1;
    this.counts.set(this.scenario, (this.counts.get(this.scenario) ?? 0) + 1);
    this.#last = { request: sent, response };
    for (const fault of this.#judge.faultsOf(sent, response)) this.report(fault);
    return response;
  }

  sendJson(method: string, target: string, body: unknown, headers: Request['headers'] = {}): Promise<Received> {
    return this.send({
      method,
      target,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /**
   * Records a finding about the last response unless the condition holds.
   *
   * @param rule the clause and what it demands
   */
  check(condition: boolean, rule: string, what = ''): boolean {
    if (!condition) this.report({ rule, what });
    return condition;
  }

  equal(actual: unknown, expected: unknown, rule: string): boolean {
    const same = isDeepStrictEqual(actual, expected);
    return this.check(same, rule, same ? '' : `${shown(actual)} is not ${shown(expected)}`);
  }

  report({ rule, what }: { readonly rule: string; readonly what: string }): void {
    const { request, response } = this.#last ?? {};
    const curl = request === undefined ? '' : toCurl(this.#origin, request);
    const text = response === undefined ? '' : `${response.status} ${response.text.slice(0, MAX_SHOWN)}`;
    this.findings.push({ rule, what: `${this.scenario}: ${what}`, curl, request: this.requests, response: text });
  }

  /** Judges the representation of a row and remembers it. */
  learn(resource: Resource, received: Received): KnownRow | null {
    const { body, headers } = received;
    if (!this.check(isObject(body), '[REP-1] a resource is one JSON object') || !isObject(body)) return null;
    this.checkShape(resource, body);
    return this.rows.set(resource, body, headers['etag'] ?? null);
  }

  checkShape(resource: Resource, body: JsonObject): void {
    const system = ['created_at', 'updated_at', 'revision', 'links'];
    const members = ['id', ...parentMembers(resource).toReversed(), ...resource.members, ...system];
    this.equal(
      Object.keys(body)
        .filter((name) => name !== 'book_id')
        .join(),
      members.filter((name) => name !== 'book_id').join(),
      '[REP-1] the members and their order',
    );
    for (const name of ['created_at', 'updated_at']) {
      this.check(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(toText(body[name])), '[REP-3] the form of timestamps');
    }
    if (resource.name !== 'books') return;
    this.check(Array.isArray(body['tags']), '[REP-4] arrays are never null');
    const keys = Object.keys(isObject(body['labels']) ? body['labels'] : {});
    this.equal(keys, keys.toSorted(), '[REP-1] members of a map are in the order of their keys');
    this.equal(body['title_length'], toText(body['title']).length, '[REP-1] a computed field');
  }

  /** Reads a row again that another write changed. */
  async refresh(row: KnownRow): Promise<void> {
    const response = await this.send({ method: 'GET', target: row.path });
    if (this.equal(response.status, 200, '[MET-4] a row that referred to a deleted one stays')) {
      this.learn(row.resource, response);
    }
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, MAX_SHOWN);
}
