import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import type { MemberDraft, ModelDraft, ResourceDraft, SchemaDraft } from './model-draft.ts';

/** A text that YAML reads as this text without quotes. */
const PLAIN = /^(?:[A-Za-z][A-Za-z0-9_]*(?:[ ./-][A-Za-z0-9_]+)*|[0-9]+\.[0-9]+\.[0-9]+)$/;
/** Texts that are something else in YAML 1.2 or in older readers. */
const WORDS: ReadonlySet<string> = new Set('true false null yes no on off y n'.split(' '));
/** The characters of a longer object are a line for each member. */
const MAX_FLOW = 100;
const LINE_BREAKS = /[\r\n\u0085\u2028\u2029]+/g;

/** The comments of the keys that have one wherever they are. */
const ID_NOTES: Readonly<Record<string, string>> = {
  client: 'clients choose ids',
  optional: 'clients choose ids, or send none',
  uuid: 'the server assigns ids',
};

/**
 * Writes a model as YAML with comments.
 *
 * @param schema path or URL of the JSON Schema of models, which editors read from the first line
 */
export function writeModel(model: ModelDraft, schema: string): string {
  const { name, settings, resources, notes } = model;
  const lines = [
    schemaLine(schema),
    ...notes.map(comment),
    `name: ${scalar(name)}`,
    ...Object.entries(settings).map(([key, value]) => `${key}: ${flow(value)}`),
    '',
    'resources:',
    ...resources.flatMap((resource, index) => [
      ...(index === 0 ? [] : ['']),
      ...resourceLines(resource)
        .map((line) => (resource.isComment === true ? comment(line) : line))
        .map(indent(1)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The first line of a model file: editors complete and check the file by this schema. */
export function schemaLine(schema: string): string {
  return `# yaml-language-server: $schema=${schema}`;
}

function resourceLines({ name, settings, source, keywords = {}, fields, notes }: ResourceDraft): readonly string[] {
  return [
    `${scalar(name)}:`,
    ...[
      ...notes.map(comment),
      ...Object.entries(settings).flatMap(([setting, value]) => settingLines(setting, value)),
      'schema:',
      ...[
        'type: object',
        ...(source === undefined ? [] : [`x-source: ${scalar(source)}`]),
        ...Object.entries(keywords).map(([keyword, value]) => `${keyword}: ${flow(value)}`),
        ...memberLines(fields),
      ].map(indent(1)),
    ].map(indent(1)),
  ];
}

function settingLines(name: string, value: Json): readonly string[] {
  const note = name === 'id' ? ID_NOTES[typeof value === 'string' ? value : 'optional'] : undefined;
  const line = `${name}: ${flow(value)}`;
  if (line.length <= MAX_FLOW || !isJsonObject(value)) return [withNotes(line, note === undefined ? [] : [note])];
  const members = Object.entries(value).map(([member, each]) => `${scalar(member)}: ${flow(each)}`);
  return [`${name}:`, ...members.map(indent(1))];
}

/** The keys `required` and `properties`. */
function memberLines(members: readonly MemberDraft[]): readonly string[] {
  const required = members.filter((member) => member.required).map(({ name }) => scalar(name));
  const lines = members.flatMap(({ name, schema }) => schemaLines(name, schema));
  return [
    ...(required.length === 0 ? [] : [`required: [${required.join(', ')}]`]),
    ...(lines.length === 0 ? ['properties: {}'] : ['properties:', ...lines.map(indent(1))]),
  ];
}

function schemaLines(name: string, schema: SchemaDraft): readonly string[] {
  if (!hasMembers(schema)) return [withNotes(`${scalar(name)}: ${flowSchema(schema)}`, schema.notes)];
  return [withNotes(`${scalar(name)}:`, schema.notes), ...blockLines(schema).map(indent(1))];
}

function blockLines({ keywords, members, items, values }: SchemaDraft): readonly string[] {
  return [
    ...Object.entries(keywords).map(([keyword, value]) => `${keyword}: ${flow(value)}`),
    ...(members === null ? [] : memberLines(members)),
    ...(items === null ? [] : schemaLines('items', items)),
    ...(values === null ? [] : schemaLines('additionalProperties', values)),
  ];
}

/** True if a schema describes objects with members at some level, which do not fit in one line. */
function hasMembers({ members, items, values }: SchemaDraft): boolean {
  return members !== null || (items !== null && hasMembers(items)) || (values !== null && hasMembers(values));
}

function flowSchema({ keywords, items, values }: SchemaDraft): string {
  const parts = [
    ...flowMembers(keywords),
    ...(items === null ? [] : [`items: ${flowSchema(items)}`]),
    ...(values === null ? [] : [`additionalProperties: ${flowSchema(values)}`]),
  ];
  return `{ ${parts.join(', ')} }`;
}

function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isJsonObject(value)) return scalar(value);
  const members = flowMembers(value);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function flowMembers(object: JsonObject): readonly string[] {
  return Object.entries(object).map(([name, value]) => `${scalar(name)}: ${flow(value)}`);
}

/** A scalar, quoted as in JSON where it is not plain. */
function scalar(value: Json): string {
  return typeof value === 'string' && PLAIN.test(value) && !WORDS.has(value.toLowerCase())
    ? value
    : JSON.stringify(value);
}

function withNotes(line: string, notes: readonly string[]): string {
  return notes.length === 0 ? line : `${line} ${comment(notes.join('; '))}`;
}

function comment(text: string): string {
  return text === '' ? '#' : `# ${text.replace(LINE_BREAKS, ' ')}`;
}

function indent(levels: number): (line: string) => string {
  return (line) => (line === '' ? '' : `${'  '.repeat(levels)}${line}`);
}
