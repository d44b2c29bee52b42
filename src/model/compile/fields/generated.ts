import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { suggestName } from '../../document/model-error.ts';
import type { Field, Generator } from '../../model.ts';
import type { GenerateValue } from '../../hooks.ts';
import { readObject, readString } from '../../values/access.ts';

/**
 * Keywords that could contradict the value that the server makes. What a function returns is checked when it is made.
 */
const CONSTRAINTS = {
  data: ['default', 'enum', 'const', 'pattern', 'minLength', 'maxLength', 'x-references'],
  code: ['default'],
};

/**
 * Compiles `generated` and `x-shown-once`. Such fields are read-only.
 * A value that is shown once is, like a write-only one, in no later response.
 *
 * @param fields the declared fields
 * @param schema the declared schema, its `$ref`s resolved
 * @param functions of a TypeScript model, by field
 */
export function compileGenerated(
  fields: readonly Field[],
  schema: CompileContext['declared'],
  { declared, path, report }: CompileContext,
  functions: ReadonlyMap<string, GenerateValue> = new Map(),
): readonly Field[] {
  const rules = readObject(declared['generated']);
  const names = fields.map(({ name }) => name);
  for (const name of [...Object.keys(rules), ...functions.keys()]) {
    if (!names.includes(name))
      report([...path, 'generated', name], `${name} is not a field of the schema`, suggestName(name, names));
  }
  const hints = readHints(rules);
  return fields.map((field) => {
    const { name } = field;
    const keywords = readObject(readObject(schema['properties'])[name]);
    const generator = readGenerator(functions.get(name), rules[name]) ?? hintGenerator(hints.get(name));
    const context = { declared: keywords, path, report };
    if (generator !== null) checkField(field, generator, context);
    if (generator !== null && readString(readObject(declared['state'])['field']) === name)
      report([...path, 'generated', name], `${name} is the state, which starts as state.initial`, 'remove it');
    const shownOnce = keywords['x-shown-once'] === true;
    if (shownOnce && generator?.kind !== 'secret') {
      const fix = `write generated: { ${name}: { secret: '' } } in the resource`;
      report([...path, 'schema', 'properties', name, 'x-shown-once'], 'only a generated secret is shown once', fix);
    }
    if (generator === null && !shownOnce) return field;
    return { ...field, readOnly: true, writeOnly: field.writeOnly || shownOnce, generator, shownOnce };
  });
}

/** The secret whose first characters a field holds, by the name of the field. */
function readHints(rules: CompileContext['declared']): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(rules).flatMap(([name, rule]) => {
      const hint = readString(readObject(rule)['hint']);
      return hint === null ? [] : [[hint, name] as const];
    }),
  );
}

function hintGenerator(secret: string | undefined): Generator | null {
  return secret === undefined ? null : { kind: 'hint', secret };
}

/** The document schema admits nothing else. */
function readGenerator(generate: GenerateValue | undefined, rule: Json | undefined): Generator | null {
  if (generate !== undefined) return { kind: 'code', generate };
  if (rule === undefined) return null;
  if (isJsonObject(rule)) {
    const sealed = rule['sealed'] === true ? ({ sealed: true } as const) : {};
    return { kind: 'secret', prefix: readString(rule['secret']) ?? '', ...sealed };
  }
  return rule === 'now' ? { kind: 'now' } : { kind: 'uuid' };
}

/** Reports a field that could not hold what is generated for it. */
function checkField(field: Field, { kind }: Generator, { declared, path, report }: CompileContext): void {
  const { name, type } = field;
  const at = [...path, 'schema', 'properties', name];
  const isCode = kind === 'code';
  const wanted = kind === 'now' ? 'format: date-time' : 'type: string';
  const format = type.kind === 'text' ? type.format : null;
  const isText = type.kind === 'text' && (format === null || (format === 'uuid' && kind === 'uuid'));
  if (!isCode && (kind === 'now' ? type.kind !== 'date-time' : !isText))
    report(at, `the generated value of ${name} is of another type`, `declare ${wanted}, without another format`);
  if (field.required) report(at, `${name} is generated, so clients cannot send it`, `remove ${name} from required`);
  if (declared['writeOnly'] === true)
    report([...at, 'writeOnly'], 'clients would never get a generated value that is write-only', 'remove writeOnly');
  for (const keyword of CONSTRAINTS[isCode ? 'code' : 'data'].filter((each) => each in declared))
    report([...at, keyword], `${keyword} does not apply to a generated value`, 'remove it');
}
