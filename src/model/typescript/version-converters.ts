import type { Json } from '../../conventions/json/json.ts';
import type { ReportProblem } from '../document/model-error.ts';
import { formatPath, type Path } from '../path.ts';
import { plainSchema } from './library-schema.ts';
import { isRecord, plainData } from './module-values.ts';

/** The two functions of a change as its module exports them, before their types are checked. */
interface UncheckedConverter {
  readonly up: unknown;
  readonly down: unknown;
}

/**
 * The functions of the changes of older versions, by the path of the change: `versions["1.4.0"].changes[0].split.name`.
 */
export type Converters = ReadonlyMap<string, UncheckedConverter>;

/** The changes that are declared with functions. */
const CONVERSIONS: ReadonlySet<string> = new Set(['split', 'join', 'type']);

type ReadValue = (value: unknown, path: Path) => Json | undefined;

/** Splits the `versions` of a module into the JSON of a document and the functions of the changes. */
export function splitVersions(
  versions: unknown,
  report: ReportProblem,
): { readonly data: Json; readonly converters: Converters } {
  const converters = new Map<string, UncheckedConverter>();
  if (versions === undefined) return { data: {}, converters };
  const plain: ReadValue = (value, path) => plainData(value, path, report);
  const schema: ReadValue = (value, path) => plainSchema(value, path, report);
  const each =
    (read: ReadValue): ReadValue =>
    (value, path) => {
      if (Array.isArray(value)) return value.map((item, index) => read(item, [...path, index]) ?? null);
      if (!isRecord(value)) return plain(value, path);
      const members = Object.entries(value)
        .filter(([, held]) => held !== undefined)
        .map(([name, held]) => [name, read(held, [...path, name])] as const);
      return Object.fromEntries(members.flatMap(([name, held]) => (held === undefined ? [] : [[name, held]])));
    };
  const field: ReadValue = (value, path) => {
    const isConversion = CONVERSIONS.has(String(path.at(-2)));
    if (isConversion && isRecord(value)) {
      const { up, down } = value;
      if (up !== undefined || down !== undefined) converters.set(formatPath(path), { up, down });
    }
    return each((held, at) => {
      const name = String(at.at(-1));
      if (isConversion && (name === 'up' || name === 'down')) return undefined;
      if (name === 'schema') return schema(held, at);
      return name === 'from' ? each(schema)(held, at) : plain(held, at);
    })(value, path);
  };
  const part: ReadValue = (value, path) => {
    const kind = String(path.at(-1));
    return CONVERSIONS.has(kind) || kind === 'with' ? each(field)(value, path) : plain(value, path);
  };
  const setting: ReadValue = (value, path) =>
    path.at(-1) === 'changes' ? each(each(part))(value, path) : plain(value, path);
  return { data: each(each(setting))(versions, ['versions']) ?? null, converters };
}
