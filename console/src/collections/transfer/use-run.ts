import { useEffect, useRef, useState } from 'react';
import type { PageOptions } from './read-page.ts';

/** Work that takes long, and can be stopped. */
export interface RunState {
  readonly state: 'idle' | 'running' | 'stopped' | 'failed' | 'done';
  readonly error: Error | null;
  /** The seconds until a limited request is repeated; null if none waits. */
  readonly waitsFor: number | null;
  /** Begins, or begins again after a stop or a failure. */
  readonly start: (work: (options: PageOptions) => Promise<void>) => void;
  readonly stop: () => void;
}

/** Runs work that ends with the view. */
export function useRun(): RunState {
  const [state, setState] = useState<RunState['state']>('idle');
  const [error, setError] = useState<Error | null>(null);
  const [waitsFor, setWaitsFor] = useState<number | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const run = async (work: (options: PageOptions) => Promise<void>): Promise<void> => {
    const own = new AbortController();
    const { signal } = own;
    controller.current = own;
    setState('running');
    setError(null);
    let end: RunState['state'] = 'done';
    let reason: Error | null = null;
    try {
      await work({ signal, onWait: setWaitsFor });
    } catch (failure) {
      end = signal.aborted ? 'stopped' : 'failed';
      reason = signal.aborted || !(failure instanceof Error) ? null : failure;
    }
    // A run that was begun again in the meantime has the state of the later one.
    if (controller.current !== own) return;
    setState(end);
    setError(reason);
    setWaitsFor(null);
  };
  return { state, error, waitsFor, start: (work) => void run(work), stop: () => controller.current?.abort() };
}
