import type { ApiCollection, ApiField } from '../../schema/api-schema.ts';
import { editableFields } from '../../row/row-fields.ts';
import type { FieldValues } from '../../row/merge-rows.ts';
import { type FileForm, type FileRecord, parseRow, readRecords } from './read-rows.ts';
import { splitCells } from './split-cells.ts';

/** A column of CSV, or a member of the rows of JSON. */
export interface FileColumn {
  readonly name: string;
  /** Its first value in the file. */
  readonly example: string;
}

/** The field of each column that is imported: its path by the name of the column. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** Records from which the columns of JSON are found. */
const SAMPLES = 100;

/** The columns of a file, from its first records. */
export async function readColumns(file: Blob, form: FileForm, collection: string): Promise<readonly FileColumn[]> {
  const records: FileRecord[] = [];
  for await (const record of readRecords(file, form, collection)) {
    records.push(record);
    if (records.length > SAMPLES) break;
  }
  const [header, ...others] = records;
  if (header === undefined) return [];
  const columns = new Map<string, string>();
  const note = (name: string, value: unknown): void => {
    const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    if ((columns.get(name) ?? '') === '') columns.set(name, text);
  };
  if (form.format === 'csv') {
    const names = splitCells(header.text, form.delimiter).map((each) => each ?? '');
    for (const name of names) note(name, null);
    for (const { text } of others)
      splitCells(text, form.delimiter).forEach((cell, index) => note(names[index] ?? '', cell));
  } else
    for (const { text } of records) for (const [name, value] of Object.entries(parseRow(text) ?? {})) note(name, value);
  columns.delete('');
  return [...columns].map(([name, example]) => ({ name, example }));
}

/** The fields that a column can fill: those of a creation, and the members of objects. */
export function listTargets(collection: ApiCollection): readonly ApiField[] {
  const within = (field: ApiField): readonly ApiField[] => [field, ...field.members.flatMap(within)];
  return editableFields(collection, 'create').flatMap(within);
}

/** The mapping of columns that are named as fields are, whatever their case and punctuation. */
export function proposeMapping(columns: readonly FileColumn[], targets: readonly ApiField[]): ColumnMapping {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  const free = new Set(targets);
  const pairs = columns.flatMap(({ name }) => {
    const candidates = [...free];
    const target =
      candidates.find(({ path }) => path === name) ??
      candidates.find(({ path }) => plain(path) === plain(name)) ??
      candidates.find(({ title }) => plain(title) === plain(name));
    if (target === undefined) return [];
    free.delete(target);
    return [[name, target.path]];
  });
  return Object.fromEntries(pairs);
}

/** Reads one record as the body of a creation; undefined if it is no row. */
export type ReadBody = (record: FileRecord) => FieldValues | undefined;

/**
 * Creates the reader of the rows of a file.
 *
 * @param header that of CSV
 */
export function createBodyReader(
  { format, delimiter }: FileForm,
  header: string,
  { mapping, targets }: { readonly mapping: ColumnMapping; readonly targets: readonly ApiField[] },
): ReadBody {
  const byPath = new Map(targets.map((field) => [field.path, field]));
  if (format !== 'csv')
    return ({ text }) => {
      const row = parseRow(text);
      if (row === undefined) return undefined;
      const entries = Object.entries(row).flatMap(([name, value]) => {
        const path = mapping[name];
        return path === undefined ? [] : [[path, value] as const];
      });
      return nestValues(entries);
    };
  const columns = splitCells(header, delimiter).map((name) => byPath.get(mapping[name ?? ''] ?? ''));
  return ({ text }) => {
    const cells = splitCells(text, delimiter);
    if (cells.length !== columns.length) return undefined;
    const entries = columns.flatMap((field, index) => {
      const cell = cells[index] ?? null;
      return field === undefined || (cell === null && !field.nullable)
        ? []
        : [[field.path, readCell(field, cell)] as const];
    });
    return nestValues(entries);
  };
}

/** Objects of values by path. An object whose members are all null is null, unless it has a column that says `{}`. */
function nestValues(entries: readonly (readonly [string, unknown])[]): FieldValues {
  const whole = entries.filter(([path]) => !path.includes('.'));
  const parts = Map.groupBy(
    entries.filter(([path]) => path.includes('.')),
    ([path]) => path.slice(0, path.indexOf('.')),
  );
  const values: Record<string, unknown> = Object.fromEntries(whole);
  for (const [name, members] of parts) {
    const nested = nestValues(members.map(([path, value]) => [path.slice(name.length + 1), value]));
    const isSet = Object.values(nested).some((value) => value !== null);
    if (isSet || !(name in values)) values[name] = isSet ? nested : null;
  }
  return values;
}

/** The value of a cell. One that is none of its kind stays a text, which the server refuses with its reason. */
function readCell({ kind, options }: ApiField, cell: string | null): unknown {
  if (cell === null) return null;
  const name: string = kind;
  switch (name) {
    case 'integer':
    case 'number':
      return readNumber(cell);
    case 'boolean':
      return /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell;
    case 'enum':
      return options?.find((each) => String(each) === cell) ?? cell;
    case 'json':
    case 'list':
    case 'map':
    case 'object':
      try {
        return JSON.parse(cell);
      } catch {
        return cell;
      }
    default:
      return cell;
  }
}

/** The number; the text where it is none, or where a double would have other digits. */
function readNumber(cell: string): number | string {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell.trim())) return cell;
  const number = Number(cell);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? cell : number;
}
