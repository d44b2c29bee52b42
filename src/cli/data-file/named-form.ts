import { type Delimiter, type Encoding, ENCODINGS } from '../../formats/text-form.ts';
import { usageError } from '../command-error.ts';
import type { OptionSpec } from '../command-spec.ts';
import type { NamedForm } from './data-file.ts';

/** The options that overrule what the content of a data file says about its form. */
export interface FormFlags {
  readonly delimiter?: string;
  readonly encoding?: string;
}

const DELIMITER_NAMES: ReadonlyMap<string, Delimiter> = new Map([
  [',', ','],
  ['comma', ','],
  [';', ';'],
  ['semicolon', ';'],
  ['\t', '\t'],
  ['\\t', '\t'],
  ['tab', '\t'],
  ['|', '|'],
  ['pipe', '|'],
]);

const ENCODING_NAMES: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ...ENCODINGS.map((each) => [each, each] as const),
  ['utf8', 'utf-8'],
  ['utf-16', 'utf-16le'],
  ['latin1', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
]);

export const FORM_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'delimiter',
    value: { name: 'character', completes: ['comma', 'semicolon', 'tab', 'pipe'] },
    description: 'separator of the cells of CSV: comma, semicolon, tab or pipe (default: detected)',
    group: 'Input:',
  },
  {
    name: 'encoding',
    value: { name: 'name', completes: [...ENCODINGS, 'latin1'] },
    description: `encoding of the file: ${ENCODINGS.join(', ')} or latin1 (default: detected)`,
    group: 'Input:',
  },
];

/** @throws {CommandError} exit 2 for an unknown name */
export function namedForm({ delimiter, encoding }: FormFlags): NamedForm {
  return {
    ...(delimiter === undefined ? {} : { delimiter: find('delimiter', delimiter, DELIMITER_NAMES) }),
    ...(encoding === undefined ? {} : { encoding: find('encoding', encoding.toLowerCase(), ENCODING_NAMES) }),
  };
}

function find<T>(option: string, value: string, names: ReadonlyMap<string, T>): T {
  const found = names.get(value);
  if (found !== undefined) return found;
  const known = [...names.keys()].filter((name) => /^[a-z0-9-]{2,}$/.test(name));
  throw usageError(`--${option}: '${value}' is not known; use ${known.join(', ')}.`);
}
