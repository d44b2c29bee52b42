import { type NetConnectOpts, connect, isIP } from 'node:net';
import type * as jetstream from '@nats-io/jetstream';
import type * as core from '@nats-io/transport-node';
import { type Json, isJsonObject } from '../../../conventions/json/json.ts';
import type { RelayTarget } from '../../../model/relay-settings.ts';
import { BrokerPackageMissing } from '../broker.ts';
import {
  type BrokerCredentials,
  type BrokerHost,
  chooseCredentials,
  type ConnectionFiles,
  describeFailure,
  formatHosts,
  listCertificates,
  parseHosts,
} from './connection-settings.ts';

export const DEFAULT_NATS_PORT = 4222;

/** The packages of the client. */
export interface NatsLibrary {
  readonly core: typeof core;
  readonly jetstream: typeof jetstream;
}

/** The answer of JetStream to a message. */
export type StoreReply = { readonly kind: 'stored'; readonly stream: string } | StoreRefusal;

export type StoreRefusal =
  /** The last message of the stream is not the one that has to precede it. */
  | { readonly kind: 'out of order' }
  /** No stream stores its subject, or not the expected one. */
  | { readonly kind: 'no stream' }
  | { readonly kind: 'refused'; readonly reason: string };

/** A message with its headers, by name. */
export interface NatsMessage {
  readonly subject: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A connection to NATS that is never made again: the client repeats nothing. */
export interface NatsSession {
  /** False when the connection is lost, or may not publish. */
  readonly isOpen: boolean;
  readonly manager: jetstream.JetStreamManager;
  readonly library: NatsLibrary;
  /**
   * Sends a message. Where the connection is lost, all that wait for a reply are refused.
   *
   * @throws {Error} for a message that cannot be sent, such as one that is too large
   */
  send(message: NatsMessage, onReply: (reply: StoreReply) => void): void;
  /** Ends the connection; messages that were not written are dropped. */
  close(): void;
}

/** @throws {BrokerPackageMissing} */
export async function loadNats(): Promise<NatsLibrary> {
  try {
    const packages = [import('@nats-io/transport-node'), import('@nats-io/jetstream')] as const;
    const [transport, streams] = await Promise.all(packages);
    return { core: transport, jetstream: streams };
  } catch (error) {
    throw new BrokerPackageMissing('NATS', '@nats-io/transport-node @nats-io/jetstream', error);
  }
}

/** Options of a connection to NATS. */
export interface NatsConnectOptions {
  readonly library: NatsLibrary;
  readonly target: RelayTarget;
  readonly files: ConnectionFiles;
  /** Milliseconds that connecting may take. */
  readonly timeout: number;
}

/** Connects once. @throws {Error} where the server is away, or refuses the credentials */
export async function connectNats({ library, target, files, timeout }: NatsConnectOptions): Promise<NatsSession> {
  const { hosts, credentials } = parseHosts(target.url, DEFAULT_NATS_PORT);
  const found = await findGreeting(hosts, timeout);
  const { host } = found;
  // The client does not check the address of a server that has no name, but `localhost`: `host` is for Node.js.
  const address = isIP(host) === 0 ? {} : { host };
  const isEncrypted = target.url.startsWith('tls://') || files.ca !== null || files.cert !== null;
  const authenticator = chooseAuthenticator(library, credentials, files);
  const connection = await library.core.connect({
    servers: formatHosts([found]),
    timeout,
    reconnect: false,
    noAsyncTraces: true,
    ignoreClusterUpdates: true,
    ...(isEncrypted && { tls: { ...address, ...listCertificates(files) } }),
    ...(authenticator !== null && { authenticator }),
  });
  try {
    const manager = await library.jetstream.jetstreamManager(connection, {
      checkAPI: false,
      timeout: Math.max(1, Math.floor(timeout / 4)),
    });
    return new JetStreamSession(library, connection, manager);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Finds the first of several hosts that answers. @throws {Error} where none does */
async function findGreeting(hosts: readonly BrokerHost[], timeout: number): Promise<BrokerHost> {
  let failure: unknown = null;
  for (const host of hosts) {
    try {
      await untilGreeted(host, timeout / hosts.length);
      return host;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * Waits for the first bytes of a server, on a connection of their own. The client keeps a connection that is never
 * greeted, so that each attempt would leave one at a server that is frozen.
 */
async function untilGreeted(address: NetConnectOpts, timeout: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ ...address, timeout });
  socket.on('data', () => resolve()).on('error', reject);
  socket.on('timeout', () => reject(new Error(`NATS did not answer within ${timeout} ms`)));
  socket.on('close', () => reject(new Error('NATS closed the connection')));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}

/** Takes a `.creds` file, `user:password`, or a token. */
function chooseAuthenticator(
  { core: client }: NatsLibrary,
  ofUrl: BrokerCredentials | null,
  files: ConnectionFiles,
): core.Authenticator | null {
  const { credentials: file } = files;
  if (file?.includes('-----BEGIN') === true) return client.credsAuthenticator(new TextEncoder().encode(file));
  const credentials = chooseCredentials(files, ofUrl);
  if (credentials === null) return null;
  const { username, password } = credentials;
  if (username === null) return client.tokenAuthenticator(password);
  // The URL of a token is nats://TOKEN@host.
  if (file === null && password === '') return client.tokenAuthenticator(username);
  return client.usernamePasswordAuthenticator(username, password);
}

class JetStreamSession implements NatsSession {
  isOpen = true;
  readonly manager: jetstream.JetStreamManager;
  readonly library: NatsLibrary;
  readonly #connection: core.NatsConnection;
  readonly #inbox: string;
  readonly #waiting = new Map<string, (reply: StoreReply) => void>();
  #sent = 0;

  constructor(library: NatsLibrary, connection: core.NatsConnection, manager: jetstream.JetStreamManager) {
    this.library = library;
    this.#connection = connection;
    this.manager = manager;
    this.#inbox = library.core.createInbox();
    connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
      },
    });
    void connection.closed().then((error) => this.#end(describeLoss(error)));
    void this.#watchPermissions();
  }

  send({ subject, headers, body }: NatsMessage, onReply: (reply: StoreReply) => void): void {
    const fields = this.library.core.headers();
    for (const [name, value] of headers) fields.append(name, value);
    this.#sent += 1;
    const token = String(this.#sent);
    this.#connection.publish(subject, body, { headers: fields, reply: `${this.#inbox}.${token}` });
    this.#waiting.set(token, onReply);
  }

  close(): void {
    this.#end('the connection was closed');
    void this.#connection.close();
  }

  #end(reason: string): void {
    this.isOpen = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const onReply of waiting) onReply({ kind: 'refused', reason });
  }

  #receive(message: core.Msg): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const onReply = this.#waiting.get(token);
    this.#waiting.delete(token);
    onReply?.(parseReply(message));
  }

  /** Ends where the server does not let this user publish: no message is ever acknowledged then. */
  async #watchPermissions(): Promise<void> {
    const { PermissionViolationError } = this.library.core;
    for await (const status of this.#connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      // Requests of the manager are rejected by the client.
      if (!subject.startsWith('$JS.API.'))
        this.#end(`the user may not ${operation === 'publish' ? operation : 'subscribe'} to ${subject}`);
    }
  }
}

function describeLoss(error: unknown): string {
  return error instanceof Error ? describeFailure(error) : 'the connection was lost';
}

/** Codes of errors.json of nats-server. */
const WRONG_LAST_MESSAGE = 10_070;
const OTHER_STREAM = 10_060;

function parseReply(message: core.Msg): StoreReply {
  if (message.data.length === 0)
    return message.headers?.code === 503
      ? { kind: 'no stream' }
      : { kind: 'refused', reason: 'the answer of the server is empty' };
  const reply = readJson(message);
  if (!isJsonObject(reply)) return { kind: 'refused', reason: 'the answer is none of JetStream' };
  const { error, stream } = reply;
  if (isJsonObject(error)) {
    if (error['err_code'] === WRONG_LAST_MESSAGE) return { kind: 'out of order' };
    if (error['err_code'] === OTHER_STREAM) return { kind: 'no stream' };
    const name = typeof stream === 'string' ? ` ${stream}` : '';
    return { kind: 'refused', reason: `the stream${name} refused an event: ${describeFailure(error['description'])}` };
  }
  return typeof stream === 'string' && stream !== ''
    ? { kind: 'stored', stream }
    : { kind: 'refused', reason: 'the answer is none of JetStream' };
}

function readJson(message: core.Msg): Json {
  try {
    return message.json<Json>();
  } catch {
    return null;
  }
}
