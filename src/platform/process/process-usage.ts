import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import process from 'node:process';
import v8 from 'node:v8';

/** The resources that a process uses. Times in seconds, memory in bytes. */
export interface ProcessUsage {
  /** Processor time. */
  readonly cpu: number;
  /** Since the epoch. */
  readonly started: number;
  /** null where the system does not say it. */
  readonly descriptors: { readonly open: number /** null without a limit. */; readonly max: number | null } | null;
  readonly memory: {
    readonly resident: number;
    readonly heapUsed: number;
    readonly heapLimit: number;
    readonly external: number;
    readonly buffers: number;
  };
  readonly loop: LoopUsage;
}

/** The activity of an event loop. */
interface LoopUsage {
  readonly active: number;
  readonly idle: number;
  /** Delays since the usage was read before, by what they are: `mean`, `p50`, `p90`, `p99`, `max`. */
  readonly delays: readonly (readonly [name: string, seconds: number])[];
}

/** Reads what this process uses. */
export interface UsageReader {
  readonly read: () => ProcessUsage;
  readonly close: () => void;
}

const MICROSECONDS = 1e6;
const NANOSECONDS = 1e9;
const MILLISECONDS = 1e3;
/** Milliseconds between two measurements of the event loop. */
const RESOLUTION = 10;

/** Starts to measure the event loop of this process. It does not keep the process alive. */
export function measureUsage(): UsageReader {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  return {
    read() {
      const { user, system } = process.cpuUsage();
      const usage = {
        cpu: (user + system) / MICROSECONDS,
        started: Date.now() / MILLISECONDS - process.uptime(),
        descriptors: process.platform === 'linux' ? readDescriptors() : null,
        memory: readMemory(),
        loop: readLoop(delay),
      };
      delay.reset();
      return usage;
    },
    close: () => void delay.disable(),
  };
}

/**
 * Measures the event loop of this thread. @returns the share of the time since its last call in which the loop did not
 * wait, from 0 to 1
 */
export function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** Linux lists the descriptors of a process as files. Reading the folder opens one more. */
function readDescriptors(): ProcessUsage['descriptors'] {
  const [, limit = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const max = limit === 'unlimited' ? null : Number(limit);
  return { open: readdirSync('/proc/self/fd').length - 1, max };
}

function readMemory(): ProcessUsage['memory'] {
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { heap_size_limit: heapLimit } = v8.getHeapStatistics();
  return { resident: rss, heapUsed, heapLimit, external, buffers: arrayBuffers };
}

function readLoop(delay: ReturnType<typeof monitorEventLoopDelay>): LoopUsage {
  const { active, idle } = performance.eventLoopUtilization();
  const measured = [
    ['mean', delay.mean],
    ['p50', delay.percentile(50)],
    ['p90', delay.percentile(90)],
    ['p99', delay.percentile(99)],
    ['max', delay.max],
  ] as const;
  // Each measurement includes the resolution. Nothing was measured where the usage was read just before.
  const secondsOf = (value: number): number =>
    delay.count === 0 ? 0 : Math.max(0, value / NANOSECONDS - RESOLUTION / MILLISECONDS);
  return {
    active: active / MILLISECONDS,
    idle: idle / MILLISECONDS,
    delays: measured.map(([name, value]) => [name, secondsOf(value)]),
  };
}
