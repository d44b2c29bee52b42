import { reportProgress } from '../terminal/progress.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';
import type { DataImport } from './import-data.ts';

interface ImportProgress {
  readonly onProgress: DataImport['onProgress'];
  readonly end: () => void;
}

/** Reports the progress of one resource after the other. */
export function importProgress({ stderr, env }: Terminal): ImportProgress {
  let current: { readonly name: string; readonly reporter: ReturnType<typeof reportProgress> } | null = null;
  return {
    onProgress(name, progress) {
      if (current?.name !== name) {
        current?.reporter.end();
        current = { name, reporter: reportProgress(name, stderr, supportsColour(stderr, env)) };
      }
      current.reporter.show(progress);
    },
    end: () => current?.reporter.end(),
  };
}
