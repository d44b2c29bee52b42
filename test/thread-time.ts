import process from 'node:process';

/** @returns milliseconds that this thread has computed: unlike time, the same on a machine that others use too */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
