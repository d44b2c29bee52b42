// The part of `node:test` that the suite of the client uses, for a page: tests are registered, and run one after
// another.

const tests = new Map<string, () => Promise<void> | void>();
const open: string[] = [];

export function describe(title: string, define: () => void): void {
  open.push(title);
  define();
  open.pop();
}

export function it(title: string, run: () => Promise<void> | void): void {
  tests.set([...open, title].join(' '), run);
}

/** Runs all tests. @returns by title the message of its failure; null for one that has passed */
export async function runAll(): Promise<Readonly<Record<string, string | null>>> {
  const results: Record<string, string | null> = {};
  for (const [title, run] of tests) {
    try {
      await run();
      results[title] = null;
    } catch (error) {
      results[title] = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
  }
  return results;
}
