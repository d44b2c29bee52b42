import type { ChangeStamps } from '../../store.ts';

/**
 * The change stamps of tables that others write at any time. Each is a new number, so that nothing is served from a
 * cache, and pages have the ETags of their bytes.
 */
export class UnknownStamps implements ChangeStamps {
  #last = 0;

  resourceStamps(resources: readonly string[]): readonly number[] {
    return resources.map(() => this.#next());
  }

  partitionStamp(): number {
    return this.#next();
  }

  rowStamp(): null {
    return null;
  }

  knownRowStamp(): null {
    return null;
  }

  rowStampAhead(): null {
    return null;
  }

  settledRevision(): null {
    return null;
  }

  isCounted(): boolean {
    return false;
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }
}
