import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** A directory that goes when the test ends. */
export function temporaryDirectory(context: Pick<TestContext, 'after'>): string {
  const made = mkdtempSync(path.join(tmpdir(), 'restwright-'));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
