import type { Memory } from '../server.ts';
import type { BarGroup } from './chart.ts';
import type { Measurement, Measurements } from './measure.ts';
import type { OverloadResult } from './overload.ts';
import { REFERENCE, type Contender } from './contenders.ts';
import { formatCount, Footnotes, markdownTable } from './table.ts';
import type { Workload } from './workloads.ts';

export interface Results {
  readonly contenders: readonly Contender[];
  readonly workloads: readonly WorkloadResult[];
  readonly overloads: readonly OverloadResult[];
  /** Milliseconds. */
  readonly coldStarts: ReadonlyMap<Contender['id'], number>;
  readonly memory: readonly MemorySample[];
  /** Date, hardware, method and versions. */
  readonly environment: string;
}

/** The memory of each contender at one time. */
export interface MemorySample {
  readonly when: string;
  readonly byContender: ReadonlyMap<Contender['id'], Memory>;
}

export interface WorkloadResult {
  readonly workload: Workload;
  readonly measurements: Measurements;
}

/** Renders the results as Markdown. */
export function report(results: Results): string {
  const notes = new Footnotes();
  const parts = [
    results.environment,
    ...workloadTables(results, notes),
    ...overloadTables(results.overloads),
    startAndMemory(results),
    notes.toMarkdown(),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The bars of the responses per second. The baseline is omitted, because it would make all other bars short. */
export function chartGroups({ contenders, workloads: done }: Results): readonly BarGroup[] {
  const shown = contenders.filter(({ id }) => id !== 'baseline');
  return done.map(({ workload, measurements }) => ({
    title: workload.title.replaceAll('`', ''),
    bars: shown.flatMap(({ id, name }) => {
      const measurement = measurements.get(id);
      return measurement === undefined
        ? []
        : [{ name, value: measurement.perSecond, highlighted: id === 'restwright' }];
    }),
  }));
}

const RETRIED = 'rounds with invalid responses were repeated';

function workloadTables({ contenders, workloads: done }: Results, notes: Footnotes): readonly string[] {
  const tableOf = (name: string, format: (measurement: Measurement, all: Measurements) => string): string =>
    markdownTable(
      [name, ...contenders.map((contender) => contender.name)],
      done.map(({ workload, measurements }) => [
        workload.title,
        ...contenders.map((contender) => {
          const measurement = measurements.get(contender.id);
          return measurement === undefined
            ? unsupportedCell(workload, contender, notes)
            : format(measurement, measurements);
        }),
      ]),
    );
  return [
    tableOf('responses per second', ({ perSecond, retries }, all) => {
      const reference = all.get(REFERENCE)?.perSecond;
      const ratio = reference === undefined ? '' : ` (${(perSecond / reference).toFixed(2)})`;
      return `${formatCount(perSecond)}${ratio}${retries === 0 ? '' : ` ${notes.mark(RETRIED)}`}`;
    }),
    tableOf('p99 latency, ms', ({ p99 }) => p99.toFixed(1)),
    tableOf('CPU time per response, µs', ({ cpu }) => formatCount(cpu)),
  ];
}

function unsupportedCell({ id }: Workload, { name, dialect }: Contender, notes: Footnotes): string {
  const reason = dialect.unsupported[id];
  return reason === undefined ? '-' : `- ${notes.mark(`${name}: ${reason}`)}`;
}

const OVERLOAD_HEAD = [
  'capacity /s',
  'offered /s',
  '2xx /s',
  '503 /s',
  '503 without `Retry-After`',
  'other or broken',
  'never sent',
  'p99, ms',
  'max, ms',
  'p99 since due, ms',
  'max since due, ms',
];

function overloadTables(all: readonly OverloadResult[]): readonly string[] {
  return Map.groupBy(all, ({ workload }) => workload.title)
    .entries()
    .map(([title, each]) =>
      markdownTable([`overload at twice the capacity: ${title}`, ...OVERLOAD_HEAD], each.map(overloadRow)),
    )
    .toArray();
}

function overloadRow({
  contender,
  sustained,
  rate,
  seconds,
  tally,
  fromSending,
  fromDue,
}: OverloadResult): readonly string[] {
  const offered = rate * seconds;
  const perSecond = (responses: number): string => formatCount((responses * 1000) / tally.elapsed);
  return [
    contender.name,
    formatCount(sustained),
    formatCount(rate),
    perSecond(tally.done),
    perSecond(tally.refused),
    formatCount(tally.withoutRetryAfter),
    formatCount(tally.other + tally.broken + tally.unanswered),
    `${formatCount((tally.unsent / offered) * 100)} %`,
    ...[fromSending.p99, fromSending.largest, fromDue.p99, fromDue.largest].map(formatCount),
  ];
}

function startAndMemory({ contenders, coldStarts, memory }: Results): string {
  const amounts = (name: string, of: ReadonlyMap<Contender['id'], number>): string[][] =>
    of.size === 0 ? [] : [[name, ...contenders.map(({ id }) => formatCount(of.get(id)))]];
  const mebibytes = ({ byContender }: MemorySample, which: keyof Memory) =>
    new Map([...byContender].map(([id, each]) => [id, each[which]]));
  return markdownTable(
    ['start and memory', ...contenders.map(({ name }) => name)],
    [
      ...amounts('cold start to the first 200, ms', coldStarts),
      ...memory.flatMap((each) => [
        ...amounts(`memory ${each.when}, MiB`, mebibytes(each, 'resident')),
        ...amounts('of which private (no mapped files), MiB', mebibytes(each, 'anonymous')),
      ]),
    ],
  );
}
