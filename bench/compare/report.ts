import type { Memory } from '../server.ts';
import type { Measures } from './measure.ts';
import { MEASURE, type Side } from './sides.ts';
import type { Work } from './works.ts';

export interface Results {
  readonly sides: readonly Side[];
  readonly works: readonly { readonly work: Work; readonly measures: Measures }[];
  /** Milliseconds. */
  readonly coldStarts: ReadonlyMap<Side['id'], number>;
  readonly memory: ReadonlyMap<Side['id'], Memory>;
  /** When, on what and how it was measured. */
  readonly circumstances: string;
}

/** The results as Markdown. */
export function report({ sides, works, coldStarts, memory, circumstances }: Results): string {
  const notes = new Footnotes();
  const names = sides.map(({ name }) => name);
  const cells = (tell: Tell) =>
    works.map(({ work, measures }) => [work.title, ...sides.map((side) => cell(work, measures, side, tell, notes))]);
  const speeds = cells(({ perSecond }, measures) => {
    const measure = measures.get(MEASURE)?.perSecond;
    return measure === undefined ? count(perSecond) : `${count(perSecond)} (${(perSecond / measure).toFixed(2)})`;
  });
  const amounts = (name: string, of: ReadonlyMap<Side['id'], number>): string[][] =>
    of.size === 0 ? [] : [[name, ...sides.map(({ id }) => count(of.get(id)))]];
  const mebibytes = (which: keyof Memory) => new Map([...memory].map(([id, each]) => [id, each[which]]));
  return [
    circumstances,
    table(['answers per second', ...names], speeds),
    table(
      ['99 of 100 answered within, ms', ...names],
      cells(({ p99 }) => p99.toFixed(1)),
    ),
    table(
      ['processor time for an answer, µs', ...names],
      cells(({ cpu }) => count(cpu)),
    ),
    table(
      ['start and memory', ...names],
      [
        ...amounts('cold start to the first 200, ms', coldStarts),
        ...amounts('memory after all work, MiB', mebibytes('resident')),
        ...amounts('of it its own, without mapped files, MiB', mebibytes('anonymous')),
      ],
    ),
    notes.told(),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

type Tell = (measure: NonNullable<ReturnType<Measures['get']>>, all: Measures) => string;

function cell({ id }: Work, measures: Measures, side: Side, tell: Tell, notes: Footnotes): string {
  const measure = measures.get(side.id);
  if (measure !== undefined) return tell(measure, measures);
  const reason = side.dialect.lacks[id];
  return reason === undefined ? '-' : `- ${notes.mark(`${side.name}: ${reason}`)}`;
}

/** A Markdown table with its first column as text and the others as numbers; nothing where it has no row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** A number of things, with its thousands apart. */
export function count(value: number | undefined): string {
  return value === undefined ? '-' : Math.round(value).toLocaleString('en-US');
}

/** Notes below the tables, each told once. */
class Footnotes {
  readonly #notes: string[] = [];

  mark(note: string): string {
    if (!this.#notes.includes(note)) this.#notes.push(note);
    return `<sup>${this.#notes.indexOf(note) + 1}</sup>`;
  }

  told(): string {
    return this.#notes.map((note, index) => `${index + 1}. ${note}`).join('\n');
  }
}
