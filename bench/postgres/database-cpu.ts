import { readdirSync, readFileSync } from 'node:fs';
import { readCpu } from '../server.ts';

/** The process that started another one. */
export function readParent(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
}

/** CPU time of the open sessions of a server, in microseconds. */
export function readDatabaseCpu(postmaster: number): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(Number(name), postmaster));
  return children.reduce((sum, pid) => sum + readCpu(Number(pid)), 0);
}

/** False for a process that has ended meanwhile. */
function isChild(pid: number, parent: number): boolean {
  try {
    return readParent(pid) === parent;
  } catch {
    return false;
  }
}
