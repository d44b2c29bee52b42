import type { Json } from '../conventions/json/json.ts';
import { memberNames, type RenameMember, safeName } from './field-name.ts';
import { type MemberDraft, type SchemaDraft, simpleSchema } from './model-draft.ts';
import type { InferredFormat, TextFacts } from './text-facts.ts';
import type { ValueFacts } from './value-facts.ts';

/** Fewer values than this may have a format by chance: it is only suggested. */
const ENOUGH = 3;
/** Values per choice from which a list of choices is suggested. */
const ENOUGH_PER_CHOICE = 3;

/** The schema of a value, without the `null` of nullable values. */
export interface InferredSchema {
  readonly schema: SchemaDraft;
  /** True if some values of the data have another type and need `x-source` to be imported. */
  readonly converted: boolean;
}

/** The members of objects. @param members by their names in the data */
export function inferMembers(
  members: ReadonlyMap<string, ValueFacts>,
  objects: number,
  rename: RenameMember = safeName,
): readonly MemberDraft[] {
  const names = memberNames(members.keys(), rename);
  return [...members].map(([source, facts]) => inferMember(names.get(source) ?? source, source, facts, objects));
}

function inferMember(name: string, source: string, facts: ValueFacts, objects: number): MemberDraft {
  const { schema, converted } = inferSchema(facts);
  const required = objects > 0 && facts.count - facts.nulls === objects;
  return { name, required, schema: name === source && !converted ? schema : withSource(schema, source) };
}

/** Adds the name that a member has in the data. */
export function withSource(schema: SchemaDraft, source: string): SchemaDraft {
  return { ...schema, keywords: { ...schema.keywords, 'x-source': source } };
}

/** The schema of all values of a field. */
export function inferSchema(facts: ValueFacts): InferredSchema {
  const kinds = [...facts.kinds].filter((kind) => kind !== 'integer' || !facts.kinds.has('number'));
  const [kind, another] = kinds;
  if (kind === undefined) return plain(simpleSchema({ type: 'string' }, ['no row has a value: the type is a guess']));
  if (another !== undefined || kind === 'deep') {
    const note = kind === 'deep' ? 'nested too deeply' : `${kinds.map(kindName).join(' and ')} in the data`;
    return { schema: simpleSchema({ type: 'string' }, [`${note}: imported as text`]), converted: true };
  }
  switch (kind) {
    case 'boolean':
    case 'integer':
    case 'number':
      return plain(simpleSchema({ type: kind }));
    case 'cell':
      return plain(facts.text.cell === null ? textSchema(facts.text) : simpleSchema({ type: facts.text.cell }));
    case 'text':
      return plain(textSchema(facts.text));
    case 'array':
      return inferArray(facts);
    case 'object':
      return inferObject(facts);
  }
}

function plain(schema: SchemaDraft): InferredSchema {
  return { schema, converted: false };
}

function kindName(kind: string): string {
  return kind === 'text' || kind === 'cell' ? 'strings' : `${kind}s`;
}

function textSchema(text: TextFacts): SchemaDraft {
  const { format, count, choices, scale } = text;
  if (format !== null && count >= ENOUGH) return simpleSchema({ type: 'string', format });
  const notes = suggestions(format, choices, scale, count);
  return simpleSchema({ type: 'string' }, notes);
}

function suggestions(
  format: InferredFormat | null,
  choices: readonly string[],
  scale: number | null,
  count: number,
): readonly string[] {
  if (format !== null) return [`maybe format: ${format}`];
  if (scale !== null) return [`maybe format: decimal, x-scale: ${scale}`];
  const isEnum = choices.length > 1 && count >= choices.length * ENOUGH_PER_CHOICE;
  return isEnum ? [`maybe enum: [${choices.map((choice) => JSON.stringify(choice)).join(', ')}]`] : [];
}

function inferArray({ items }: ValueFacts): InferredSchema {
  const element = items === null ? null : inferElement(items);
  const schema = element?.schema ?? simpleSchema({ type: 'string' });
  const notes = items === null ? ['every list is empty: the type of the items is a guess'] : schema.notes;
  const converted = element?.converted ?? false;
  return { schema: { ...simpleSchema({ type: 'array' }, notes), items: { ...schema, notes: [] } }, converted };
}

/**
 * The items of an array or the values of a map, which are nullable where one is null. A list in a list cannot be null:
 * it is empty.
 */
function inferElement(facts: ValueFacts): InferredSchema {
  const { schema, converted } = inferSchema(facts);
  if (facts.nulls === 0) return { schema, converted };
  if (schema.keywords['type'] === 'array') return { schema, converted: true };
  const type: Json = [schema.keywords['type'] ?? 'string', 'null'];
  return { schema: { ...schema, keywords: { ...schema.keywords, type } }, converted };
}

function inferObject(facts: ValueFacts): InferredSchema {
  if (!isMap(facts)) {
    const members = inferMembers(facts.members, facts.objects);
    return plain({ ...simpleSchema({ type: 'object' }), members });
  }
  const values = facts.mergedValues();
  const { schema, converted } = inferElement(values);
  const notes = values.count === 0 ? ['every object is empty: the type of the values is a guess'] : schema.notes;
  return { schema: { ...simpleSchema({ type: 'object' }, notes), values: { ...schema, notes: [] } }, converted };
}

const FIELD_NAME = /^[A-Za-z_$][A-Za-z0-9_$ .-]*$/;
/** Codes such as currencies and countries. */
const CODE = /^[A-Z]{2,3}$/;
const MANY_KEYS = 8;

/**
 * Decides if objects are maps, whose keys are data. The values of a map have one type.
 * In maps, some key is not a name, all keys are codes, or there are many keys and each object has few of them.
 */
function isMap({ members, values, objects }: ValueFacts): boolean {
  if (values !== null || members.size === 0) return true;
  const keys = [...members.keys()];
  if (keys.some((key) => !FIELD_NAME.test(key))) return true;
  const kinds = new Set(
    [...members.values()].flatMap((each) => [...each.kinds].map((kind) => (kind === 'integer' ? 'number' : kind))),
  );
  if (kinds.size > 1) return false;
  if (keys.length > 1 && keys.every((key) => CODE.test(key))) return true;
  const held = [...members.values()].reduce((sum, { count }) => sum + count, 0);
  return keys.length > MANY_KEYS && held < (keys.length * objects) / 2;
}
