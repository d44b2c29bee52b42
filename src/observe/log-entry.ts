import type { Observation } from './observation.ts';

export type Level = 'info' | 'warn' | 'error';

/** What the log says of an observation, before it is written one way or another. */
export interface LogEntry {
  readonly level: Level;
  readonly event: string;
  /** Members in the order in which they are written; values that JSON can carry. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_PATH = 1_024;
const MAX_METHOD = 32;
const MAX_CAUSES = 5;

/** The entry of an observation (OPS-2). */
export function logEntry(observation: Observation): LogEntry {
  switch (observation.kind) {
    case 'exchange':
      return exchangeEntry(observation);
    case 'fault':
      return faultEntry(observation);
    case 'store-unavailable':
      return { level: 'error', event: 'store_unavailable', fields: obstacleFields(observation.error) };
    case 'listening':
      return { level: 'info', event: 'listening', fields: { url: observation.url, open: observation.open } };
    case 'stopping':
      return { level: 'info', event: 'stopping', fields: { signal: observation.signal } };
    case 'stopped':
      return {
        level: observation.unfinished === 0 ? 'info' : 'warn',
        event: 'stopped',
        fields: { unfinished: observation.unfinished },
      };
    case 'database-awaited':
      return { level: 'warn', event: 'database_awaited', fields: { database: observation.path } };
    case 'schema-changed':
      return { level: 'info', event: 'schema_changed', fields: { statements: observation.statements } };
    case 'not-served':
      return { level: 'warn', event: 'not_served', fields: { declared: observation.declared } };
    case 'worker-ended':
      return workerEndedEntry(observation);
    case 'worker-killed':
      return { level: 'error', event: 'worker_killed', fields: { worker: observation.pid } };
    case 'deliveries-left':
      return { level: 'warn', event: 'deliveries_left', fields: { count: observation.count } };
    case 'overload':
      return {
        level: observation.overloaded ? 'warn' : 'info',
        event: 'overload',
        fields: { overloaded: observation.overloaded, reason: observation.reason },
      };
  }
}

function exchangeEntry(exchange: Extract<Observation, { kind: 'exchange' }>): LogEntry {
  return {
    level: exchange.status >= 500 ? 'error' : 'info',
    event: 'exchange',
    fields: {
      method: cut(exchange.method, MAX_METHOD),
      path: cut(exchange.target, MAX_PATH),
      route: exchange.route,
      status: exchange.status,
      error_code: exchange.errorCode,
      duration_ms: Math.round(exchange.duration * 1_000) / 1_000,
      correlation_id: exchange.correlationId,
      trace_id: exchange.traceId,
    },
  };
}

function faultEntry({ correlationId, error }: Extract<Observation, { kind: 'fault' }>): LogEntry {
  return { level: 'error', event: 'fault', fields: { correlation_id: correlationId, error: describeError(error) } };
}

function workerEndedEntry(ended: Extract<Observation, { kind: 'worker-ended' }>): LogEntry {
  const { pid, code, signal, reason, again } = ended;
  return { level: 'error', event: 'worker_ended', fields: { worker: pid, code, signal, reason, again_ms: again } };
}

/** What is wrong, and what it comes from, without the stack: it is nobody's mistake in the code. */
function obstacleFields({ message, cause }: Error): LogEntry['fields'] {
  if (cause === undefined || cause === null) return { reason: message, code: null, cause: null };
  const facts = errorFacts(cause);
  return { reason: message, code: facts.code, cause: facts.message };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** An error with its stack and what caused it, outermost first. What is thrown and no error is told by its type alone. */
function describeError(thrown: unknown): Readonly<Record<string, unknown>> {
  const [{ name, message, code, stack }, ...causes] = errorChain(thrown);
  return { name, message, code, stack, causes: causes.map((cause) => cause.stack) };
}

interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly stack: string;
}

function errorChain(thrown: unknown): [ErrorFacts, ...ErrorFacts[]] {
  const chain: [ErrorFacts, ...ErrorFacts[]] = [errorFacts(thrown)];
  for (let error = thrown; chain.length < MAX_CAUSES && error instanceof Error && error.cause instanceof Error; ) {
    error = error.cause;
    chain.push(errorFacts(error));
  }
  return chain;
}

function errorFacts(thrown: unknown): ErrorFacts {
  if (!(thrown instanceof Error)) {
    const message = `a value of type ${typeof thrown} was thrown`;
    return { name: 'NoError', message, code: null, stack: message };
  }
  const { name, message, stack } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
  return { name, message, code, stack: stack ?? `${name}: ${message}` };
}
