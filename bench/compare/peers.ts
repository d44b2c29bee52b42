import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PEERS, type Contender } from './contenders.ts';

const INSTALLER = path.resolve(import.meta.dirname, '../../scripts/install.mjs');

interface Installer {
  /** An exit code: 0 where all packages of the folder's lockfile are there. */
  readonly install: (folder: string) => Promise<number>;
}

/** Installs the peers where they are missing, and tells which sides can be started. */
export async function installPeers(
  sides: readonly Contender[],
  tell: (line: string) => void,
): Promise<readonly Contender[]> {
  if (sides.every((side) => side.package === null)) return sides;
  tell(`the other frameworks stand in ${path.relative('', PEERS)}`);
  const { install }: Installer = await import(pathToFileURL(INSTALLER).href);
  if ((await install(PEERS)) === 0) return sides;
  tell('the other frameworks cannot be installed: they are left out');
  return sides.filter((side) => side.package === null);
}
