import path from 'node:path';
import type { Contender } from '../compare/contenders.ts';
import type { RunningServer } from '../compare/measure.ts';
import { pagePath } from '../compare/query-dialect.ts';
import { startServer } from '../server.ts';

interface ContenderOptions extends Pick<Contender, 'dialect' | 'keys'> {
  /** The Node.js program and its arguments. */
  readonly args: readonly string[];
}

/** Starts a server that is measured. @param folder of compiled code */
export async function startContender(
  folder: string,
  id: Contender['id'],
  { dialect, keys, args }: ContenderOptions,
): Promise<RunningServer> {
  const contender = { id, name: id, dialect, keys, args: () => args, package: null };
  const server = await startServer({ args, path: pagePath(dialect, {}), compileCache: path.join(folder, id) });
  return { contender, server };
}
