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
  /** When, on what and how it was measured. */
  readonly environment: string;
}

/** How much memory each side takes at one time. */
export interface MemorySample {
  readonly when: string;
  readonly byContender: ReadonlyMap<Contender['id'], Memory>;
}

export interface WorkloadResult {
  readonly workload: Workload;
  readonly measurements: Measurements;
}

/** The results as Markdown. */
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

/** The answers per second as a picture shows them; the floor is left out, which would make all other bars short. */
export function chartGroups({ contenders, workloads: done }: Results): readonly BarGroup[] {
  const shown = contenders.filter(({ id }) => id !== 'baseline');
  return done.map(({ workload, measurements }) => ({
    title: workload.title.replaceAll('`', ''),
    bars: shown.flatMap(({ id, name }) => {
      const measure = measurements.get(id);
      return measure === undefined ? [] : [{ name, value: measure.perSecond, highlighted: id === 'restwright' }];
    }),
  }));
}

const RETRIED = 'some answers did not count, and their rounds were done again';

function workloadTables({ contenders, workloads: done }: Results, notes: Footnotes): readonly string[] {
  const tableOf = (name: string, tell: (measure: Measurement, measures: Measurements) => string): string =>
    markdownTable(
      [name, ...contenders.map((side) => side.name)],
      done.map(({ workload, measurements }) => [
        workload.title,
        ...contenders.map((side) => {
          const measure = measurements.get(side.id);
          return measure === undefined ? unsupportedCell(workload, side, notes) : tell(measure, measurements);
        }),
      ]),
    );
  return [
    tableOf('answers per second', ({ perSecond, retries }, measures) => {
      const measure = measures.get(REFERENCE)?.perSecond;
      const ratio = measure === undefined ? '' : ` (${(perSecond / measure).toFixed(2)})`;
      return `${formatCount(perSecond)}${ratio}${retries === 0 ? '' : ` ${notes.mark(RETRIED)}`}`;
    }),
    tableOf('99 of 100 answered within, ms', ({ p99 }) => p99.toFixed(1)),
    tableOf('processor time for an answer, µs', ({ cpu }) => formatCount(cpu)),
  ];
}

function unsupportedCell({ id }: Workload, { name, dialect }: Contender, notes: Footnotes): string {
  const reason = dialect.unsupported[id];
  return reason === undefined ? '-' : `- ${notes.mark(`${name}: ${reason}`)}`;
}

const OVERLOAD_HEAD = [
  'borne /s',
  'asked /s',
  '2xx /s',
  '503 /s',
  'of them without `Retry-After`',
  'other or broken',
  'never sent',
  'p99, ms',
  'largest, ms',
  'p99 since due, ms',
  'largest since due, ms',
];

function overloadTables(all: readonly OverloadResult[]): readonly string[] {
  return Map.groupBy(all, ({ workload }) => workload.title)
    .entries()
    .map(([title, each]) =>
      markdownTable([`twice as much as is borne: ${title}`, ...OVERLOAD_HEAD], each.map(overloadRow)),
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
  const asked = rate * seconds;
  const perSecond = (answers: number): string => formatCount((answers * 1000) / tally.elapsed);
  return [
    contender.name,
    formatCount(sustained),
    formatCount(rate),
    perSecond(tally.done),
    perSecond(tally.refused),
    formatCount(tally.withoutRetryAfter),
    formatCount(tally.other + tally.broken + tally.unanswered),
    `${formatCount((tally.unsent / asked) * 100)} %`,
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
        ...amounts('of it its own, without mapped files, MiB', mebibytes(each, 'anonymous')),
      ]),
    ],
  );
}
