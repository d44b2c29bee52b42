// Checks a tarball with publint and Are the types wrong. Both need no network.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The package has modules only, and no types for programs that do not know `exports` (`node10`). */
const UNSUPPORTED: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

/** The warnings about a package to publish, empty for none. */
export async function tarballProblems(tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, level: 'warning' });
  const warnings = messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
  return [...warnings, ...(await typeProblems(tarball))];
}

/** Finds errors of the types, for each way in which programs resolve the package. */
async function typeProblems(tarball: Uint8Array): Promise<readonly string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!analysis.types) return ['attw: the package has no types'];
  return analysis.problems
    .filter((problem) => !('resolutionKind' in problem && UNSUPPORTED.has(problem.resolutionKind)))
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
}
