import type { Loan, LoanRequest } from '../../limits/leased-rate-limiter.ts';
import type { MetricFamily } from '../../observe/metrics/metric-family.ts';
import type { CommandError } from '../command-error.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import type { LogStyle } from '../serve/server-log.ts';
import type { ServeSettings } from '../settings.ts';
import type { StopSignal } from '../terminal/terminal.ts';

/** The options of a worker. */
export interface WorkerOptions {
  /** Path of the model. */
  readonly file: string;
  readonly settings: ServeSettings;
  readonly log: LogStyle;
  /** The model that the other workers serve; null for the first. */
  readonly peers: ServedModel | null;
  /** True if this worker dispatches events. */
  readonly dispatch: boolean;
  /** The secret of the hash of callers, the same for all workers. */
  readonly rateSecret: string;
}

/** A message from the supervisor to a worker. */
export type SupervisorMessage =
  | { readonly kind: 'serve'; readonly options: WorkerOptions }
  | { readonly kind: 'stop'; readonly signal: StopSignal }
  /** Asks whether the event loop runs. */
  | { readonly kind: 'ping' }
  /** Requests what the worker has measured. */
  | { readonly kind: 'report'; readonly id: number }
  /** The answer to `scrape` of that id. */
  | { readonly kind: 'scraped'; readonly id: number; readonly text: string }
  /** The answer to `borrow` of that id. */
  | { readonly kind: 'lent'; readonly id: number; readonly loans: readonly Loan[] };

/** A message from a worker to the supervisor. */
export type WorkerMessage =
  | { readonly kind: 'listening'; readonly served: ServedModel }
  | { readonly kind: 'pong' }
  /** The answer to `report` of that id. */
  | { readonly kind: 'reported'; readonly id: number; readonly families: readonly MetricFamily[] }
  /** Requests the metrics of all workers. */
  | { readonly kind: 'scrape'; readonly id: number }
  /** Borrows units of rate limits. */
  | { readonly kind: 'borrow'; readonly id: number; readonly requests: readonly LoanRequest[] }
  | { readonly kind: 'failed'; readonly failure: Pick<CommandError, 'exitCode' | 'message'> };
