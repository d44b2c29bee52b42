import { hostname } from 'node:os';
import process from 'node:process';
import type { Random } from '../random.ts';

/** Names this process, or a part of it, as the owner of leases. */
export interface ProcessOwner {
  readonly name: string;
  /** True if the process of another owner has surely ended: only one of this machine can be known to have. */
  isGone(owner: string): boolean;
  /** From now on this owner counts as gone within the process. */
  end(): void;
}

/** The owners of this process that have not ended. */
const live = new Set<string>();

/** A new owner. */
export function createOwner(random: Random): ProcessOwner {
  const name = [encodeURIComponent(hostname()), process.pid, random.hex(8)].join('/');
  live.add(name);
  return { name, isGone, end: () => void live.delete(name) };
}

function isGone(owner: string): boolean {
  const [host, pid] = owner.split('/');
  if (host !== encodeURIComponent(hostname())) return false;
  return Number(pid) === process.pid ? !live.has(owner) : !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
