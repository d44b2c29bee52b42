import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PEERS, type Contender } from './contenders.ts';

const INSTALLER = path.resolve(import.meta.dirname, '../../scripts/install.mjs');

interface Installer {
  /** Installs the packages of a folder's lockfile. Resolves to the exit code, 0 for success. */
  readonly install: (folder: string) => Promise<number>;
}

/** Installs the other frameworks if needed, and returns the contenders that can be started. */
export async function installPeers(
  contenders: readonly Contender[],
  report: (line: string) => void,
): Promise<readonly Contender[]> {
  if (contenders.every((contender) => contender.package === null)) return contenders;
  report(`the other frameworks are installed in ${path.relative('', PEERS)}`);
  const { install }: Installer = await import(pathToFileURL(INSTALLER).href);
  if ((await install(PEERS)) === 0) return contenders;
  report('the other frameworks cannot be installed and are skipped');
  return contenders.filter((contender) => contender.package === null);
}
