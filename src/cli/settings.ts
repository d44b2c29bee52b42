import type { Model } from '../model/model.ts';
import { listOwnResources, readsTablesOnly, showsTables } from '../model/table-source.ts';
import { parseDuration } from '../model/values/parse-units.ts';
import { AGENT_MODES, type AgentMode } from '../mcp/tools.ts';
import { redisUrlProblem } from '../platform/redis.ts';
import { type DatabaseKind, selectKind } from '../stores/databases/databases.ts';
import { type CommandError, usageError } from './command-error.ts';
import { type DatabaseLocation, servedLocation, type ServedDatabaseFlags, usedDatabase } from './database-settings.ts';
import { isLoopback } from './serve/address.ts';
import { type EnvironmentVariables, type SettingSource, settingValue, type SettingValue } from './setting-value.ts';

/** More processes than large machines have processors only contend with each other. */
const MAX_WORKERS = 64;

/** Milliseconds. A proxy notices within seconds that a server is not ready. */
const MAX_DRAIN = 600_000;

/** The values of `--log`. */
export const LOG_FORMATS = ['json', 'text'] as const;

type LogFormat = (typeof LOG_FORMATS)[number];

/** Flags of `serve`, as given on the command line. */
export interface ServeFlags extends ServedDatabaseFlags {
  readonly port?: string;
  readonly host?: string;
  readonly metricsPort?: string;
  readonly metricsHost?: string;
  readonly workers?: string;
  readonly redis?: string;
  readonly drain?: string;
  readonly mcp?: string;
  readonly console?: boolean;
  readonly log?: string;
  readonly dev?: boolean;
  readonly open?: boolean;
  readonly insecurePublic?: boolean;
  readonly readOnly?: boolean;
  readonly write?: boolean;
}

export interface ServeSettings {
  /** 0 lets the operating system choose one. */
  readonly port: number;
  readonly host: string;
  readonly database: DatabaseLocation;
  /** The address of `/metrics` apart from the API, without credentials; null if the API serves it. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  /** Number of processes that serve. */
  readonly workers: number;
  /** The URL of the Redis that instances share; null for none. */
  readonly redis: string | null;
  /** Milliseconds after a stop signal in which it goes on serving and is not ready, before it stops listening. */
  readonly drain: number;
  /** The access of agents; null if none are served (OPS-8). */
  readonly mcp: AgentMode | null;
  /** True if the console is served, whatever the model declares (OPS-10). */
  readonly console: boolean;
  /** The format of the log; null to choose it by the terminal. */
  readonly log: LogFormat | null;
  readonly dev: boolean;
  /** True if a browser opens the API once it listens. */
  readonly open: boolean;
  /** True if clients on other machines are served without authentication (AUTH-7). */
  readonly insecurePublic: boolean;
  /** True if the database, which has the tables of another program, is never written. */
  readonly readOnly: boolean;
}

const PORT: SettingSource = { flag: '--port', variable: 'RESTWRIGHT_PORT', fallback: '3000' };
const HOST: SettingSource = { flag: '--host', variable: 'RESTWRIGHT_HOST', fallback: '127.0.0.1' };
const METRICS_PORT: SettingSource = { flag: '--metrics-port', variable: 'RESTWRIGHT_METRICS_PORT', fallback: '' };
const METRICS_HOST: SettingSource = { flag: '--metrics-host', variable: 'RESTWRIGHT_METRICS_HOST', fallback: '' };
const WORKERS: SettingSource = { flag: '--workers', variable: 'RESTWRIGHT_WORKERS', fallback: '1' };
const REDIS: SettingSource = { flag: '--redis', variable: 'RESTWRIGHT_REDIS', fallback: '' };
const DRAIN: SettingSource = { flag: '--drain', variable: 'RESTWRIGHT_DRAIN', fallback: '0s' };
const MCP: SettingSource = { flag: '--mcp', variable: 'RESTWRIGHT_MCP', fallback: '' };
const LOG: SettingSource = { flag: '--log', variable: 'RESTWRIGHT_LOG', fallback: 'auto' };
/**
 * Reads the settings of `serve`.
 *
 * @throws {CommandError} exit 2 for an invalid value
 */
export function serveSettings(flags: ServeFlags, env: EnvironmentVariables): ServeSettings {
  const { open = false, dev = false, insecurePublic = false, readOnly = false, console: page = false } = flags;
  const workers = parseWorkers(settingValue(WORKERS, flags.workers, env), dev);
  return {
    port: parsePort(settingValue(PORT, flags.port, env)),
    host: parseHost(settingValue(HOST, flags.host, env)),
    database: servedLocation(flags, env, workers),
    metrics: metricsAddress(flags, env),
    workers,
    redis: parseRedis(settingValue(REDIS, flags.redis, env)),
    drain: parseDrain(settingValue(DRAIN, flags.drain, env)),
    mcp: agentSetting(flags.mcp, env),
    console: page,
    log: parseLog(settingValue(LOG, flags.log, env)),
    dev,
    open,
    insecurePublic,
    readOnly,
  };
}

/**
 * Checks that the settings go with the tables of a model.
 *
 * @throws {CommandError} exit 2
 */
export function requireAccess(
  model: Model,
  { readOnly, workers, database }: Pick<ServeSettings, 'readOnly' | 'workers' | 'database'>,
): void {
  const own = listOwnResources(model).map(({ name }) => name);
  if (readOnly && own.length > 0)
    throw usageError(`--read-only: the model has rows of its own (${own.join(', ')}); omit the option.`);
  if (workers === 1 || !showsTables(model)) return;
  const kind = selectKind(usedDatabase(database, model.name).database).name;
  const problem = findWorkersProblem(kind, { isWritten: !readOnly && !readsTablesOnly(model), secret: model.secret });
  if (problem !== null) throw usageError(`${WORKERS.flag}: ${problem}, or use ${WORKERS.flag} 1.`);
}

/** Finds why several processes cannot serve tables that exist; null where they can. */
function findWorkersProblem(
  kind: DatabaseKind['name'],
  { isWritten, secret }: { readonly isWritten: boolean; readonly secret: string | null },
): string | null {
  if (!isWritten)
    return secret === null ? 'the cursors of several processes need the same `secret`; declare one' : null;
  return kind === 'sqlite' ? 'one process writes the tables of a SQLite file; use --read-only' : null;
}

/** @throws {CommandError} exit 2 */
export function parsePort({ text, origin }: SettingValue): number {
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535))
    throw usageError(`${origin}: '${text}' is not a valid port; use a number from 0 (any free port) to 65535.`);
  return number;
}

/** @throws {CommandError} exit 2 for a host without a port, which would be ignored */
function metricsAddress(flags: ServeFlags, env: EnvironmentVariables): ServeSettings['metrics'] {
  const port = settingValue(METRICS_PORT, flags.metricsPort, env);
  const host = settingValue(METRICS_HOST, flags.metricsHost, env);
  if (port.text !== '') return { port: parsePort(port), host: host.text === '' ? HOST.fallback : parseHost(host) };
  if (host.text !== '')
    throw usageError(`${host.origin}: the metrics have an address, but no port; pass ${METRICS_PORT.flag}, too.`);
  return null;
}

function parseWorkers({ text, origin }: SettingValue, dev: boolean): number {
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= 1 && number <= MAX_WORKERS))
    throw usageError(`${origin}: '${text}' is not a valid number of workers; use a number from 1 to ${MAX_WORKERS}.`);
  if (dev && number > 1)
    throw usageError(`${origin}: --dev reloads the model in a single process; use either --dev or several workers.`);
  return number;
}

/** The URL is not repeated in the message: it may have a password. */
function parseRedis({ text, origin }: SettingValue): string | null {
  if (text === '') return null;
  const problem = redisUrlProblem(text);
  if (problem === null) return text;
  throw usageError(`${origin} ${problem}.`);
}

function parseDrain({ text, origin }: SettingValue): number {
  const milliseconds = text === DRAIN.fallback ? 0 : (parseDuration(text) ?? Number.NaN);
  if (milliseconds <= MAX_DRAIN) return milliseconds;
  throw usageError(`${origin}: '${text}' is not a valid time to drain; use one of at most 10m, such as 5s, or 0s.`);
}

/** The access of agents; null without a value. @throws {CommandError} exit 2 for another one */
export function agentSetting(flag: string | undefined, env: EnvironmentVariables): AgentMode | null {
  const { text, origin } = settingValue(MCP, flag, env);
  if (text === MCP.fallback) return null;
  const mode = AGENT_MODES.find((name) => name === text);
  if (mode !== undefined) return mode;
  throw usageError(`${origin}: '${text}' is not an access of agents; use ${AGENT_MODES.join(' or ')}.`);
}

function parseLog({ text, origin }: SettingValue): LogFormat | null {
  if (text === LOG.fallback) return null;
  const format = LOG_FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw usageError(`${origin}: '${text}' is not a valid log format; use ${LOG_FORMATS.join(' or ')}.`);
}

/** @throws {CommandError} exit 2 */
export function parseHost({ text, origin }: SettingValue): string {
  const name = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (/^[0-9A-Za-z.:%_-]+$/.test(name)) return name;
  throw usageError(
    `${origin}: '${text}' is not a valid host name or address; use one like 127.0.0.1, ::1 or localhost.`,
  );
}

/** True if other machines can reach the server (AUTH-7). */
export function isReachable({ host }: Pick<ServeSettings, 'host'>): boolean {
  return !isLoopback(host);
}

/**
 * The error for a server without authentication that other machines could reach (AUTH-7). @param flags those that the
 * settings come from
 */
export function unprotected({ host, open }: Pick<ServeSettings, 'host' | 'open'>, flags: ServeFlags): CommandError {
  const origin = flags.host === undefined ? HOST.variable : HOST.flag;
  const former = open ? '--open now opens the browser; the option for its former effect is --insecure-public. ' : '';
  return usageError(
    `${origin}: other machines can reach ${host}, and no authentication is configured, so any client could read and change all data. ` +
      `${former}Declare \`auth\` in the model, use a loopback address like 127.0.0.1, or pass --insecure-public to serve every client without authentication.`,
  );
}
