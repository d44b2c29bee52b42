import type { Random } from '../../../scripts/campaign/random.ts';
import { serializeModel, randomModel } from '../../pipeline/proof/random-models.ts';

/** A declared schema of a field, or of a part of one. */
export interface FieldSchema {
  readonly type: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: FieldSchema;
  readonly contentEncoding?: string;
  readonly readOnly?: boolean;
  readonly 'x-scale'?: number;
  readonly 'x-unique'?: boolean;
  readonly 'x-references'?: { readonly resource: string; readonly as: string; readonly inverse?: string };
}

/** A declared resource. */
export interface CopiedResource {
  readonly parent?: string;
  readonly id: 'client' | 'uuid';
  readonly search: readonly string[];
  readonly schema: {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, FieldSchema>>;
  };
}

/** A declared model, for callers who are all alike. */
export interface CopiedModel {
  readonly resources: Readonly<Record<string, CopiedResource>>;
}

const TEXT: FieldSchema = { type: 'string' };
const INT64: FieldSchema = { type: 'string', format: 'int64' };
const DATE_TIME: FieldSchema = { type: 'string', format: 'date-time' };

const decimal = (precision?: number, scale?: number): FieldSchema & { readonly 'x-precision'?: number } => ({
  type: 'string',
  format: 'decimal',
  ...(precision === undefined || scale === undefined ? {} : { 'x-precision': precision, 'x-scale': scale }),
});

/** Types of one value. Decimals of up to 18 digits are integers in SQLite, others are texts there. */
const SCALARS: readonly FieldSchema[] = [
  TEXT,
  { type: 'integer' },
  { type: 'number' },
  { type: 'boolean' },
  decimal(12, 2),
  decimal(18, 0),
  decimal(40, 20),
  decimal(),
  INT64,
  DATE_TIME,
  { type: 'string', format: 'date' },
  { type: 'string', contentEncoding: 'base64' },
];

/** A type, nested up to two levels. */
function randomType(random: Random, depth = 2): FieldSchema {
  const kind = depth === 0 ? 'scalar' : random.pick(['scalar', 'scalar', 'object', 'map', 'array'] as const);
  switch (kind) {
    case 'scalar':
      return random.pick(SCALARS);
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(['x', 'y', 'z'].map((name) => [name, randomType(random, depth - 1)])),
      };
    case 'map':
      return { type: 'object', additionalProperties: randomType(random, depth - 1) };
    case 'array':
      return { type: 'array', items: randomType(random, depth - 1) };
  }
}

/** A model of resources in a tree, with references, states and unique fields, and with fields of all types. */
export function randomCopiedModel(random: Random): CopiedModel {
  const { auth: _auth, ...document } = JSON.parse(serializeModel(randomModel(random)));
  for (const resource of Object.values<Record<string, unknown>>(document.resources)) {
    delete resource['access'];
    const properties: Record<string, FieldSchema> = Object(resource['schema']).properties;
    for (const [at, type] of SCALARS.entries()) if (random.chance(0.5)) properties[`scalar_${at}`] = type;
    for (let at = 0; at < 4; at += 1) properties[`any_${at}`] = randomType(random);
    properties['also_ids'] = {
      type: 'array',
      items: { ...TEXT, 'x-references': { resource: randomTarget(document.resources, random), as: 'also' } },
    };
    properties['about'] = TEXT;
    resource['search'] = [...Object(resource['search']), 'about'];
    resource['events'] = random.pick(['full', 'thin', 'none']);
    resource['indexes'] = random.some(['about', 'n', ['n', 'tenant']], 0.5);
    if (random.chance(0.6)) resource['tombstones'] = '30d';
  }
  return document;
}

/** The name of a resource at the top: any row can refer to its rows. */
function randomTarget(resources: Readonly<Record<string, CopiedResource>>, random: Random): string {
  return random.pick(Object.keys(resources).filter((name) => resources[name]?.parent === undefined));
}

const TEXTS = [
  '',
  ' ',
  'null',
  'NULL',
  "it's; drop",
  'a "quoted" \\ {text}',
  '{a,b}',
  '\\N',
  '\u0001\u0008\u001f\u007f\u0085',
  '\t\r\n',
  '😀 𝒳',
  'e\u0301 é',
  '\u2028\u00a0\ufeff',
  '\ufffd\u{10fffd}',
] as const;
const NUMBERS = [0, -0.5, 0.1, 1e-7, 5e-324, 1e21, 2 ** 53, 1.797_693_134_862_315_7e308, -123_456.789] as const;
const DATES = [
  '0000-01-01',
  '0000-02-29',
  '0001-01-01',
  '1900-02-28',
  '1969-12-31',
  '2026-11-28',
  '9999-12-31',
] as const;
const TIMES = ['00:00:00Z', '00:00:00.001Z', '23:59:59.999Z', '12:30:00.5+01:30'] as const;

/** A value of a type, often at its bounds. */
export function randomValue(schema: FieldSchema, random: Random): unknown {
  if (schema.enum !== undefined) return random.pick(schema.enum);
  switch (schema.type) {
    case 'integer':
      return random.pick([0, -1, 7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);
    case 'number':
      return random.pick(NUMBERS);
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return Array.from({ length: random.integer(0, 3) }, () => randomValue(schema.items ?? TEXT, random));
    case 'object':
      return randomObject(schema, random);
    default:
      return randomText(schema, random);
  }
}

function randomObject({ properties, additionalProperties = TEXT }: FieldSchema, random: Random): unknown {
  if (properties !== undefined)
    return Object.fromEntries(
      random.some(Object.entries(properties), 0.8).map(([name, each]) => [name, randomValue(each, random)]),
    );
  const names = random.some(['b', 'a', '1', '10', '😀', '\ufffd', 'with "quotes"', 'B'], 0.4);
  return Object.fromEntries(names.map((name) => [name, randomValue(additionalProperties, random)]));
}

function randomText({ format, contentEncoding, 'x-scale': scale }: FieldSchema, random: Random): string {
  if (contentEncoding === 'base64')
    return Buffer.from(Array.from({ length: random.integer(0, 5) }, () => random.pick([0, 39, 92, 128, 255]))).toString(
      'base64',
    );
  switch (format ?? '') {
    case 'int64':
      return random.pick(['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808']);
    case 'decimal':
      return randomDecimal(scale, random);
    case 'date':
      return random.pick(DATES);
    case 'date-time':
      return `${random.pick(DATES)}T${random.pick(TIMES)}`;
    default:
      return random.chance(0.6) ? random.pick(TEXTS) : random.text(12);
  }
}

function randomDecimal(scale: number | undefined, random: Random): string {
  const whole = random.pick(['0', '-0', '7', '-9999999999', '10']);
  if (scale === 0) return random.pick([whole, '999999999999999999', '-999999999999999999']);
  if (scale === 2) return `${whole}.${random.pick(['5', '05', '99', '00'])}`;
  return random.pick([whole, `${whole}.10`, '0.00000000000000000001', '-12345678901234567890.12345678901234567890']);
}
