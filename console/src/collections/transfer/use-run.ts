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
    const { signal } = (controller.current = new AbortController());
    setState('running');
    setError(null);
    try {
      await work({ signal, onWait: setWaitsFor });
      setState('done');
    } catch (failure) {
      setError(signal.aborted || !(failure instanceof Error) ? null : failure);
      setState(signal.aborted ? 'stopped' : 'failed');
    } finally {
      setWaitsFor(null);
    }
  };
  return { state, error, waitsFor, start: (work) => void run(work), stop: () => controller.current?.abort() };
}
