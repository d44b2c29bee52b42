import type { WriteResult } from './write-result.ts';
import { bytesOf, recordOfResult, runOnce, type Outcome, recordedResult, requestDigest } from './idempotency.ts';
import { commitWrite, type CommitOptions } from './commit.ts';
import type { Surroundings } from '../surroundings.ts';
import type { WriteOperation } from './write.ts';

/**
 * Does one write, and at most once where it has a key (MET-12).
 *
 * @param key the name under which its effect is remembered; null where it has none
 */
export async function commitOnce(
  key: string | null,
  operation: WriteOperation,
  settling: Omit<CommitOptions, 'memo'>,
  surroundings: Surroundings,
): Promise<Outcome<WriteResult>> {
  if (key === null) {
    const settled = await commitWrite(operation, { ...settling, memo: null }, surroundings);
    if (settled.kind === 'recorded') throw new Error('a write without a key was remembered');
    return { outcome: settled.effect, replayed: false };
  }
  const asked = { name: key, request: requestDigest(operation.request, bytesOf(settling.body), surroundings) };
  const run = async (): Promise<WriteResult | 'recorded'> => {
    const settled = await commitWrite(
      operation,
      { ...settling, memo: recordOfResult(asked, surroundings) },
      surroundings,
    );
    return settled.kind === 'done' ? settled.effect : 'recorded';
  };
  return runOnce(asked, run, recordedResult, surroundings);
}
