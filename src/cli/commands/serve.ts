import { existsSync } from 'node:fs';
import { createMetrics } from '../../observe/metrics/metrics.ts';
import { type ExitCode, usageError } from '../command-error.ts';
import {
  AGENT_OPTION,
  type CommandSpec,
  DATABASE_OPTIONS,
  MODEL_ARGUMENT,
  type OptionSpec,
  valueOption,
} from '../command-spec.ts';
import { fileKind } from '../data-file/data-file.ts';
import { prepareData } from '../data-file/serve-data.ts';
import { isDatabaseFile } from '../init/database-file.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { announce } from '../serve/announce.ts';
import { type ServedModel, serveModel } from '../serve/serve-model.ts';
import { modelOfDatabase } from '../serve/model-of-database.ts';
import { logStyle, type ServerLog } from '../serve/server-log.ts';
import type { DatabaseFlags } from '../database-settings.ts';
import {
  isReachable,
  LOG_FORMATS,
  type ServeFlags,
  serveSettings,
  type ServeSettings,
  unprotected,
} from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { serveWithWorkers } from '../workers/serve-with-workers.ts';

/** The database that a flag or the environment names. */
function databaseSetting({ database, ...flags }: ServeFlags, { env }: Terminal): DatabaseFlags {
  const named = database ?? env['RESTWRIGHT_DATABASE'] ?? '';
  return named === '' ? flags : { ...flags, database: named };
}

/**
 * Serves a model, or a data file or a database with the model inferred from it, until SIGTERM or SIGINT. Then it
 * accepts no more connections, requests in flight finish within the model's shutdown timeout, and the database is
 * closed (LIM-3). Prints its URL on standard output; the log goes to standard error.
 *
 * @returns 0 once stopped
 * @throws {CommandError} exit 2 for invalid settings, exit 1 for an invalid model or an unavailable database or address
 */
async function serve(named: string, flags: ServeFlags, terminal: Terminal): Promise<ExitCode> {
  const requested = serveSettings(flags, terminal.env);
  if (flags.write === true && flags.readOnly === true)
    throw usageError('--write: it contradicts --read-only; use one.');
  const prepared = await prepareServed(named, requested, flags, terminal);
  if (typeof prepared === 'number') return prepared;
  const { file, settings } = prepared;
  const style = logStyle(settings, terminal);
  const onListening = (served: ServedModel, log: ServerLog): void => announce(served, log, terminal, settings.open);
  if (settings.workers > 1) return serveWithWorkers({ file, settings, log: style, terminal, onListening });
  await serveModel({
    file,
    settings,
    terminal,
    peers: null,
    log: style,
    dispatch: true,
    rateLender: null,
    metrics: createMetrics(),
    onListening,
  });
  return 0;
}

/** A model to serve, and the settings with which it is. */
interface Prepared {
  readonly file: string;
  readonly settings: ServeSettings;
}

/**
 * Prepares what is named: a model, a data file with the rows that are imported, or a database that is read.
 *
 * @returns the exit code of an import that did not complete
 */
async function prepareServed(
  named: string,
  requested: ServeSettings,
  flags: ServeFlags,
  terminal: Terminal,
): Promise<Prepared | ExitCode> {
  if (existsSync(named) && (await isDatabaseFile(named))) return prepareDatabase(named, requested, flags, terminal);
  if (flags.write === true)
    throw usageError(`--write: ${named} is no SQLite database; what a model writes is not read-only anyway.`);
  const found = await fileKind(named);
  if (found.kind === 'open-api')
    throw usageError(
      `${named} is an OpenAPI description, not a model; infer a model from it with \`restwright init --from ${named}\`.`,
    );
  const isData = found.kind === 'data';
  await requireAuthentication(isData ? null : named, requested, flags, terminal);
  if (!isData) return { file: named, settings: requested };
  const prepared = await prepareData(found.data, databaseSetting(flags, terminal), terminal);
  if (prepared.kind === 'incomplete') return prepared.exitCode;
  return { file: prepared.model, settings: withDatabase(requested, prepared.database) };
}

/** @throws {CommandError} exit 2 where another database is named, too */
async function prepareDatabase(
  named: string,
  requested: ServeSettings,
  flags: ServeFlags,
  terminal: Terminal,
): Promise<Prepared> {
  if (flags.database !== undefined)
    throw usageError(`--database: ${named} is the database. Name the model in its place, or leave out --database.`);
  const file = await modelOfDatabase(named, terminal);
  await requireAuthentication(file, requested, flags, terminal);
  return { file, settings: { ...withDatabase(requested, named), readOnly: flags.write !== true } };
}

function withDatabase(settings: ServeSettings, file: string): ServeSettings {
  return { ...settings, database: { ...settings.database, file } };
}

/**
 * Refuses to serve other machines without authentication (AUTH-7).
 *
 * @param model the file of the model; null for one that is inferred, which has no authentication
 * @throws {CommandError} exit 2, also before the data of a file are imported
 */
async function requireAuthentication(
  model: string | null,
  settings: ServeSettings,
  flags: ServeFlags,
  { env }: Terminal,
): Promise<void> {
  if (settings.insecurePublic || !isReachable(settings)) return;
  const auth = model === null ? null : (await requireModel(model, env)).model.auth;
  if (auth === null) throw unprotected(settings, flags);
}

const ADDRESS = 'Address:';
const METRICS = 'Metrics:';
const DEVELOPMENT = 'Development:';

const OPTIONS: readonly OptionSpec[] = [
  valueOption('port', 'number', 'port to listen on; 0 for any free port (RESTWRIGHT_PORT, default: 3000)', ADDRESS),
  {
    name: 'host',
    value: { name: 'address', completes: ['127.0.0.1', '0.0.0.0', 'localhost'] },
    description: 'address to listen on (RESTWRIGHT_HOST, default: 127.0.0.1)',
    group: ADDRESS,
  },
  {
    name: 'insecure-public',
    value: null,
    description: 'serve other machines without authentication: every client can read and change all data',
    group: ADDRESS,
  },
  valueOption(
    'metrics-port',
    'number',
    'serve /metrics on this port, without credentials, instead of on the port of the API (RESTWRIGHT_METRICS_PORT)',
    METRICS,
  ),
  {
    name: 'metrics-host',
    value: { name: 'address', completes: ['127.0.0.1', '0.0.0.0', 'localhost'] },
    description: 'address to serve /metrics on, with --metrics-port (RESTWRIGHT_METRICS_HOST, default: 127.0.0.1)',
    group: METRICS,
  },
  ...DATABASE_OPTIONS,
  {
    name: 'replica',
    value: { name: 'url', completes: 'none' },
    description:
      'URL of a streaming replica that answers reads of pages, never staler than the database itself; may be given several times (RESTWRIGHT_REPLICAS)',
    group: 'Database:',
    repeats: true,
  },
  {
    name: 'read-only',
    value: null,
    description: 'never write to the database: for a model that shows the tables of another program',
    group: 'Database:',
  },
  {
    name: 'write',
    value: null,
    description: 'write the rows of a SQLite database that is named in place of a model; events are stored in it',
    group: 'Database:',
  },
  valueOption(
    'workers',
    'number',
    'number of processes that share the port and the database (RESTWRIGHT_WORKERS, default: 1)',
    'Processes:',
  ),
  valueOption(
    'redis',
    'url',
    'URL of the Redis or Valkey server through which instances share rate limits; requires @redis/client (RESTWRIGHT_REDIS)',
    'Processes:',
  ),
  valueOption(
    'drain',
    'duration',
    'time after a stop signal in which the server is not ready but goes on serving, such as 5s behind a load balancer (RESTWRIGHT_DRAIN, default: 0s)',
    'Processes:',
  ),
  {
    name: 'console',
    value: null,
    description: 'serve the console at /console, a page by which people use the API',
    group: 'Pages:',
  },
  AGENT_OPTION,
  {
    name: 'log',
    value: { name: 'format', completes: LOG_FORMATS },
    description: 'json or text (RESTWRIGHT_LOG, default: text if standard error is a terminal, otherwise json)',
    group: 'Log:',
  },
  {
    name: 'dev',
    value: null,
    description: 'development mode: write a readable log, and reload the model when its file changes',
    group: DEVELOPMENT,
  },
  { name: 'open', value: null, description: 'open the API in a browser', group: DEVELOPMENT },
];

export const serveSpec: CommandSpec = {
  name: 'serve',
  group: 'Serving:',
  summary: 'serve the API of a model',
  description: 'Serves the API of a model. Writes its URL to standard output and its log to standard error.',
  arguments: [
    {
      ...MODEL_ARGUMENT,
      description: `${MODEL_ARGUMENT.description}. Also a data file: CSV, NDJSON, or JSON with an array or an object of arrays; or a SQLite database, which is only read without --write`,
    },
  ],
  options: OPTIONS,
  notes: `Options override environment variables; environment variables override defaults.

The rows of a data file are imported once, into the database data/{name}.db in
the folder of the file. The inferred model is written next to the file, as
NAME.restwright.yaml. Edit that file to change the API. The model of a SQLite
database is written there, too; its rows stay where they are.

Examples:
  restwright serve
  restwright serve shop.yaml
  restwright serve db.json
  restwright serve shop.sqlite
  restwright serve shop.sqlite --write
  restwright serve shop.yaml --port 0 --database /var/lib/shop/shop.db
  restwright serve shop.yaml --workers 4
  RESTWRIGHT_PORT=8080 restwright serve shop.yaml --dev --open
`,
  run: ([model = findModel()], flags: ServeFlags, terminal) => serve(model, flags, terminal),
};
