import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/**
 * A file system that is soon full, unmounted at the end of the test. Where this process may not mount one, the test is
 * skipped with the reason.
 *
 * @param mebibytes its size
 * @param owner the user that it belongs to. Default: that of this process
 * @returns its folder; null where the test is skipped
 */
export function smallDisk(context: TestContext, mebibytes: number, owner: number | null = null): string | null {
  const disk = mkdtempSync(path.join(tmpdir(), 'restwright-disk-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk]).status === 0;
  context.after(() => {
    if (isMounted) spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });
  if (!isMounted) {
    context.skip(
      'NOT TESTED: a full disk. This process may not mount a small file system; run the tests as root on Linux.',
    );
    return null;
  }
  if (owner !== null) chownSync(disk, owner, owner);
  return disk;
}
