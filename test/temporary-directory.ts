import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** A temporary directory, which is deleted after the test. */
export function temporaryDirectory(context: Pick<TestContext, 'after'>): string {
  const created = mkdtempSync(path.join(tmpdir(), 'restwright-'));
  context.after(() => rmSync(created, { recursive: true, force: true }));
  return created;
}
