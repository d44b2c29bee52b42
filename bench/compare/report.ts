import type { Memory } from '../server.ts';
import type { Group } from './chart.ts';
import type { Measure, Measures } from './measure.ts';
import type { Overload } from './overload.ts';
import { MEASURE, type Side } from './sides.ts';
import { count, Footnotes, table } from './table.ts';
import type { Work } from './works.ts';

export interface Results {
  readonly sides: readonly Side[];
  readonly works: readonly WorkDone[];
  readonly overloads: readonly Overload[];
  /** Milliseconds. */
  readonly coldStarts: ReadonlyMap<Side['id'], number>;
  readonly memory: readonly MemoryTaken[];
  /** When, on what and how it was measured. */
  readonly circumstances: string;
}

/** How much memory each side takes at one time. */
export interface MemoryTaken {
  readonly when: string;
  readonly taken: ReadonlyMap<Side['id'], Memory>;
}

export interface WorkDone {
  readonly work: Work;
  readonly measures: Measures;
}

/** The results as Markdown. */
export function report(results: Results): string {
  const notes = new Footnotes();
  const parts = [
    results.circumstances,
    ...works(results, notes),
    ...overloads(results.overloads),
    startAndMemory(results),
    notes.told(),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The answers per second as a picture shows them; the floor is left out, which would make all other bars short. */
export function groupsOf({ sides, works: done }: Results): readonly Group[] {
  const shown = sides.filter(({ id }) => id !== 'floor');
  return done.map(({ work, measures }) => ({
    title: work.title.replaceAll('`', ''),
    bars: shown.flatMap(({ id, name }) => {
      const measure = measures.get(id);
      return measure === undefined ? [] : [{ name, value: measure.perSecond, ours: id === 'restwright' }];
    }),
  }));
}

const AGAIN = 'some answers did not count, and their rounds were done again';

function works({ sides, works: done }: Results, notes: Footnotes): readonly string[] {
  const tableOf = (name: string, tell: (measure: Measure, measures: Measures) => string): string =>
    table(
      [name, ...sides.map((side) => side.name)],
      done.map(({ work, measures }) => [
        work.title,
        ...sides.map((side) => {
          const measure = measures.get(side.id);
          return measure === undefined ? lack(work, side, notes) : tell(measure, measures);
        }),
      ]),
    );
  return [
    tableOf('answers per second', ({ perSecond, again }, measures) => {
      const measure = measures.get(MEASURE)?.perSecond;
      const ratio = measure === undefined ? '' : ` (${(perSecond / measure).toFixed(2)})`;
      return `${count(perSecond)}${ratio}${again === 0 ? '' : ` ${notes.mark(AGAIN)}`}`;
    }),
    tableOf('99 of 100 answered within, ms', ({ p99 }) => p99.toFixed(1)),
    tableOf('processor time for an answer, µs', ({ cpu }) => count(cpu)),
  ];
}

function lack({ id }: Work, { name, dialect }: Side, notes: Footnotes): string {
  const reason = dialect.lacks[id];
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

function overloads(all: readonly Overload[]): readonly string[] {
  return Map.groupBy(all, ({ work }) => work.title)
    .entries()
    .map(([title, each]) => table([`twice as much as is borne: ${title}`, ...OVERLOAD_HEAD], each.map(overloadRow)))
    .toArray();
}

function overloadRow({ side, sustained, rate, seconds, tally, fromSending, fromDue }: Overload): readonly string[] {
  const asked = rate * seconds;
  const perSecond = (answers: number): string => count((answers * 1000) / tally.elapsed);
  return [
    side.name,
    count(sustained),
    count(rate),
    perSecond(tally.done),
    perSecond(tally.refused),
    count(tally.refusedForGood),
    count(tally.other + tally.broken + tally.unanswered),
    `${count((tally.unsent / asked) * 100)} %`,
    ...[fromSending.p99, fromSending.largest, fromDue.p99, fromDue.largest].map(count),
  ];
}

function startAndMemory({ sides, coldStarts, memory }: Results): string {
  const amounts = (name: string, of: ReadonlyMap<Side['id'], number>): string[][] =>
    of.size === 0 ? [] : [[name, ...sides.map(({ id }) => count(of.get(id)))]];
  const mebibytes = ({ taken }: MemoryTaken, which: keyof Memory) =>
    new Map([...taken].map(([id, each]) => [id, each[which]]));
  return table(
    ['start and memory', ...sides.map(({ name }) => name)],
    [
      ...amounts('cold start to the first 200, ms', coldStarts),
      ...memory.flatMap((each) => [
        ...amounts(`memory ${each.when}, MiB`, mebibytes(each, 'resident')),
        ...amounts('of it its own, without mapped files, MiB', mebibytes(each, 'anonymous')),
      ]),
    ],
  );
}
