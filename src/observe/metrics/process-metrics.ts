import type { ProcessUsage } from '../../platform/process/process-usage.ts';
import { family, type MetricFamily } from './metric-family.ts';

/**
 * The resources that a process uses, as metrics. Names that begin with `process_` are those of the clients of
 * Prometheus, the others OpenTelemetry's. Each process has its own: their sum would say nothing of one that is about to
 * fail.
 */
export function processFamilies({ cpu, started, descriptors, memory, loop }: ProcessUsage): readonly MetricFamily[] {
  return [
    counter('process_cpu_seconds_total', 'Processor time that the process has used.', cpu),
    gauge('process_start_time_seconds', 'Start of the process since the epoch.', started),
    ...(descriptors === null ? [] : descriptorFamilies(descriptors)),
    gauge('process_resident_memory_bytes', 'Resident memory.', memory.resident),
    gauge('v8js_memory_heap_used_bytes', 'Used memory of the JavaScript heap.', memory.heapUsed),
    gauge('v8js_memory_heap_limit_bytes', 'The size that the JavaScript heap may have.', memory.heapLimit),
    gauge('nodejs_external_memory_bytes', 'Memory outside of the JavaScript heap, buffers included.', memory.external),
    gauge('nodejs_array_buffers_bytes', 'Memory of buffers, the cache of items included.', memory.buffers),
    ...loopFamilies(loop),
  ];
}

function descriptorFamilies({ open, max }: NonNullable<ProcessUsage['descriptors']>): readonly MetricFamily[] {
  const limit = max === null ? [] : [gauge('process_max_fds', 'The most open file descriptors.', max)];
  return [gauge('process_open_fds', 'Open file descriptors.', open), ...limit];
}

function loopFamilies({ active, idle, delays }: ProcessUsage['loop']): readonly MetricFamily[] {
  const time = {
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time of the event loop by its state.',
    type: 'counter',
    merge: 'each',
  } as const;
  return [
    family(time, [
      [[['nodejs_eventloop_state', 'active']], active],
      [[['nodejs_eventloop_state', 'idle']], idle],
    ]),
    ...delays.map(([name, seconds]) =>
      gauge(
        `nodejs_eventloop_delay_${name}_seconds`,
        `Delay of the event loop since the previous scrape (${name}).`,
        seconds,
      ),
    ),
  ];
}

function gauge(name: string, help: string, value: number): MetricFamily {
  return family({ name, help, type: 'gauge', merge: 'each' }, value);
}

function counter(name: string, help: string, value: number): MetricFamily {
  return family({ name, help, type: 'counter', merge: 'each' }, value);
}
