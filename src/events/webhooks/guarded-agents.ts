import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { hostOf, type WebhookUrlRules } from '../../conventions/webhook-url.ts';
import { AddressGuard } from './address-guard.ts';

/** All addresses of a name; rejects where it has none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The resolver of the system. */
export const systemResolve: Resolve = (host) => systemLookup(host, { all: true });

export interface GuardedAgentsOptions {
  readonly rules: WebhookUrlRules;
  readonly resolve: Resolve;
  /** Certificates of authorities that are trusted in place of those of Node.js. */
  readonly ca?: string | undefined;
}

/** The code of the errors of addresses that are not allowed, as `net.connect` has it. */
export const ADDRESS_BLOCKED = 'ERR_IP_BLOCKED';

/** An address to which no connection is made. */
class AddressBlocked extends Error {
  override readonly name = 'AddressBlocked';
  readonly code = ADDRESS_BLOCKED;
}

/** Idle connections are closed after these milliseconds, before most servers close theirs. */
const IDLE_TIMEOUT = 4_000;
const AGENT: http.AgentOptions = { keepAlive: true, timeout: IDLE_TIMEOUT, maxFreeSockets: 16, maxTotalSockets: 512 };

/**
 * Connections to the hosts of webhooks, kept alive, and made only to addresses that are allowed (EVT-7). The address that is checked is the address of
 * the connection: `net.connect` checks it, after the name was resolved. A name of which any address is not allowed is refused as a whole.
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
    this.#guarded = new GuardedHttpsAgent(guardedConnect(this.#public, resolve), ca);
    this.#open = new GuardedHttpsAgent(guardedConnect(AddressGuard.open(), resolve), ca);
    this.#local = new GuardedHttpAgent(guardedConnect(AddressGuard.loopback(), resolve));
  }

  /** The agent for an URL that {@link parseWebhookUrl} accepted. */
  agentFor(url: URL): http.Agent {
    if (url.protocol === 'http:') return this.#local;
    return this.#isNamed(hostOf(url)) ? this.#open : this.#guarded;
  }

  /** Whether a connection to a host would be made now; false also where its name has no address. */
  async admits(url: URL): Promise<boolean> {
    const host = hostOf(url);
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

/** Connects to a host, or emits an error before anything is sent. */
type Connect = (options: http.ClientRequestArgs) => Socket;

function guardedConnect(blockList: AddressGuard, resolve: Resolve): Connect {
  const lookup = guardedLookup(blockList, resolve);
  // Without delay: the end of a request would wait for the acknowledgement of its beginning, 40 ms with many receivers.
  return ({ host, port }) => connect({ host: host ?? '', port: Number(port), noDelay: true, blockList, lookup });
}

class GuardedHttpAgent extends http.Agent {
  readonly #connect: Connect;

  constructor(connectTo: Connect) {
    super(AGENT);
    this.#connect = connectTo;
  }

  override createConnection(options: http.ClientRequestArgs): Duplex {
    return this.#connect(options);
  }
}

/** It connects by itself: `https.Agent` ignores the option `blockList`, which `tls.connect` does not pass on. */
class GuardedHttpsAgent extends https.Agent {
  readonly #connect: Connect;
  readonly #ca: string | undefined;

  constructor(connectTo: Connect, ca: string | undefined) {
    super(AGENT);
    this.#connect = connectTo;
    this.#ca = ca;
  }

  override createConnection(options: https.RequestOptions): Duplex {
    const { host, servername } = options;
    const socket = this.#connect(options);
    const secure = connectTls({
      socket,
      host: host ?? '',
      ...(servername === undefined ? {} : { servername }),
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
      ALPNProtocols: ['http/1.1'],
    });
    // What fails before the handshake is an error of the inner socket alone.
    socket.on('error', (error) => secure.destroy(error));
    return secure;
  }
}

/** Resolves a name to its addresses, of which all must be allowed. */
function guardedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  const allowed = async (host: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = await resolve(host);
    if (first === undefined || [first, ...others].some(({ address }) => guard.check(address)))
      throw new AddressBlocked('The host has an address that is not allowed.');
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
