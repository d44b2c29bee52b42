import type { CommandFailure } from './command-failure.ts';
import type { Served } from './serve-model.ts';
import type { ServeSettings } from './settings.ts';
import type { StopSignal } from './terminal.ts';

/** What a worker is to serve, and how. */
export interface OrderedServing {
  /** The model's file. */
  readonly file: string;
  readonly settings: ServeSettings;
  /** What the others serve; null for the first. */
  readonly joins: Served | null;
  readonly dispatch: boolean;
}

/** What a supervisor tells a worker. */
export type Order =
  | { readonly kind: 'serve'; readonly serving: OrderedServing }
  | { readonly kind: 'stop'; readonly signal: StopSignal };

/** What a worker tells its supervisor. */
export type Report =
  | { readonly kind: 'listening'; readonly served: Served }
  | { readonly kind: 'failed'; readonly failure: Pick<CommandFailure, 'exitCode' | 'message'> };
