import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { connect, isIP, type LookupFunction } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { webhookHost, type WebhookUrlRules } from '../../conventions/events/webhook-url.ts';
import { AddressGuard } from './address-guard.ts';

/** Resolves a name to all its addresses; rejects if it has none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The resolver of the system. */
export const systemResolve: Resolve = (host) => systemLookup(host, { all: true });

export interface GuardedAgentsOptions {
  readonly rules: WebhookUrlRules;
  readonly resolve: Resolve;
  /** Certificates of authorities that are trusted instead of those of Node.js. */
  readonly ca?: string | undefined;
}

/** The code of the errors of addresses that are not allowed, as `net.connect` has it. */
export const ADDRESS_BLOCKED = 'ERR_IP_BLOCKED';

const NOT_ALLOWED = 'The host has an address that is not allowed.';

/** An address to which no connection is made. */
class AddressBlocked extends Error {
  override readonly name = 'AddressBlocked';
  readonly code = ADDRESS_BLOCKED;
}

/** Idle connections are closed after these milliseconds, before most servers close theirs. */
const IDLE_TIMEOUT = 4_000;
const AGENT: http.AgentOptions = { keepAlive: true, timeout: IDLE_TIMEOUT, maxFreeSockets: 16, maxTotalSockets: 512 };

/**
 * Keep-alive connections to the hosts of webhooks, made only to allowed addresses (EVT-7). The address is checked after
 * the name was resolved, so that the checked address is that of the connection. A name is refused if any of its
 * addresses is not allowed.
 */
export class GuardedAgents {
  readonly #rules: WebhookUrlRules;
  readonly #resolve: Resolve;
  readonly #public: AddressGuard;
  readonly #guarded: http.Agent;
  readonly #open: http.Agent;
  readonly #local: http.Agent;

  constructor({ rules, resolve, ca }: GuardedAgentsOptions) {
    this.#rules = rules;
    this.#resolve = resolve;
    this.#public = AddressGuard.public(rules);
    this.#guarded = new GuardedHttpsAgent(this.#public, resolve, ca);
    this.#open = new GuardedHttpsAgent(AddressGuard.open(), resolve, ca);
    this.#local = new GuardedHttpAgent(AddressGuard.loopback(), resolve);
  }

  /** Returns the agent for a URL that {@link parseWebhookUrl} accepted. */
  agentFor(url: URL): http.Agent {
    if (url.protocol === 'http:') return this.#local;
    return this.#isNamed(webhookHost(url)) ? this.#open : this.#guarded;
  }

  /** True if a connection to a host would be made now; false also if its name has no address. */
  async admits(url: URL): Promise<boolean> {
    const host = webhookHost(url);
    if (this.#isNamed(host)) return true;
    if (isIP(host) !== 0) return !this.#public.check(host);
    try {
      const addresses = await this.#resolve(host);
      return addresses.length > 0 && !addresses.some(({ address }) => this.#public.check(address));
    } catch {
      return false;
    }
  }

  close(): void {
    for (const agent of [this.#guarded, this.#open, this.#local]) agent.destroy();
  }

  #isNamed(host: string): boolean {
    return this.#rules.allowed.names.has(host);
  }
}

class GuardedHttpAgent extends http.Agent {
  readonly #guard: AddressGuard;
  readonly #lookup: LookupFunction;

  constructor(guard: AddressGuard, resolve: Resolve) {
    super(AGENT);
    this.#guard = guard;
    this.#lookup = guardedLookup(guard, resolve);
  }

  override createConnection({ host, port }: http.ClientRequestArgs): Duplex {
    // Without delay: the end of a request would wait for the acknowledgement of its beginning, 40 ms with many
    // receivers.
    return connect({
      host: host ?? '',
      port: Number(port),
      noDelay: true,
      blockList: this.#guard,
      lookup: this.#lookup,
    });
  }
}

type OnConnection = (error: Error | null, connection: Duplex) => void;

/** Connects by itself: `https.Agent` ignores the option `blockList`, which `tls.connect` does not pass on. */
class GuardedHttpsAgent extends https.Agent {
  readonly #guard: AddressGuard;
  readonly #lookup: LookupFunction;
  readonly #ca: string | undefined;

  constructor(guard: AddressGuard, resolve: Resolve, ca: string | undefined) {
    super(AGENT);
    this.#guard = guard;
    this.#lookup = guardedLookup(guard, resolve);
    this.#ca = ca;
  }

  override createConnection(
    { host, port, servername }: https.RequestOptions,
    onConnection?: OnConnection,
  ): Duplex | undefined {
    const name = host ?? '';
    // An address is not looked up.
    if (isIP(name) !== 0 && this.#guard.check(name)) {
      onConnection?.(new AddressBlocked(NOT_ALLOWED), new PassThrough());
      return undefined;
    }
    // TLS makes its own connection: Node.js crashes if a given one goes on to the next address of a name.
    const secure = connectTls({
      host: name,
      port: Number(port),
      lookup: this.#lookup,
      ...(servername === undefined ? {} : { servername }),
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
      ALPNProtocols: ['http/1.1'],
    });
    secure.setNoDelay(true);
    return secure;
  }
}

/** Resolves a name to its addresses, all of which must be allowed. */
function guardedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  const allowed = async (host: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = await resolve(host);
    if (first === undefined || [first, ...others].some(({ address }) => guard.check(address)))
      throw new AddressBlocked(NOT_ALLOWED);
    return [first, ...others];
  };
  const answer = async (host: string, ...[{ all }, callback]: LookupArguments): Promise<void> => {
    try {
      const [first, ...others] = await allowed(host);
      if (all === true) callback(null, [first, ...others]);
      else callback(null, first.address, first.family);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), '', 0);
    }
  };
  return (host, options, callback) => void answer(host, options, callback);
}

type LookupArguments = Parameters<LookupFunction> extends [string, ...infer Rest] ? Rest : never;
