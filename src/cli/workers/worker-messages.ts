import type { CommandError } from '../command-error.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import type { ServeSettings } from '../settings.ts';
import type { StopSignal } from '../terminal/terminal.ts';

/** What a worker is to serve, and how. */
export interface WorkerOptions {
  /** The model's file. */
  readonly file: string;
  readonly settings: ServeSettings;
  /** What the others serve; null for the first. */
  readonly peers: ServedModel | null;
  readonly dispatch: boolean;
}

/** What a supervisor tells a worker. */
export type SupervisorMessage =
  | { readonly kind: 'serve'; readonly options: WorkerOptions }
  | { readonly kind: 'stop'; readonly signal: StopSignal };

/** What a worker tells its supervisor. */
export type WorkerMessage =
  | { readonly kind: 'listening'; readonly served: ServedModel }
  | { readonly kind: 'failed'; readonly failure: Pick<CommandError, 'exitCode' | 'message'> };
