import os from 'node:os';
import process from 'node:process';

/**
 * Bytes of memory that this process may use: of the machine, or of its container where that has less. @param limit of
 * the container; 0 without one
 */
export function availableMemory(limit: number = containerLimit(), total: number = os.totalmem()): number {
  return limit > 0 ? Math.min(limit, total) : total;
}

/** Not every runtime knows it. */
function containerLimit(): number {
  const read: unknown = Reflect.get(process, 'constrainedMemory');
  return typeof read === 'function' ? Number(read.call(process)) : 0;
}
