import { isJsonObject, type JsonObject } from '../conventions/json.ts';
import { nearest } from '../conventions/nearest.ts';
import type { Declaration } from './declaration.ts';
import { textsOf } from './declared.ts';
import { RESERVED_FIELDS } from './fields.ts';
import { type Hooks, NO_HOOKS } from './hooks.ts';
import type { ComputedField, Field } from './model.ts';
import type { Path } from './path.ts';
import { compileShape } from './shapes.ts';

/** The members of a resource in TypeScript that are code; all others are data. */
export const CODE_MEMBERS = ['computed', 'before', 'check', 'after', 'policy'] as const;

/** The code of a resource as its module has it: nothing is known of it yet. */
export type ResourceCode = Readonly<Partial<Record<(typeof CODE_MEMBERS)[number], unknown>>>;

/** A function that somebody wrote. What it returns is its type's to say, where it has one: a model in JavaScript is on its own. */
type Callable = (...given: readonly unknown[]) => never;

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array'];
const FIELD_NAME = /^[a-z][a-z0-9_]*$/;

/** What a resource's code compiles to. */
export interface CompiledCode {
  readonly computed: readonly ComputedField[];
  readonly hooks: Hooks;
}

/** Compiles the code of a resource; whatever is none is announced. @param fields those of the resource, its parent's id too */
export function compileCode(code: ResourceCode, fields: readonly Field[], { path, report }: Declaration): CompiledCode {
  if (code.policy !== undefined) {
    const cause = 'policy is not served yet, and without it everybody may read and write';
    report([...path, 'policy'], cause, 'remove it, or wait for the version that serves it');
  }
  const read = new CodeReader(path, report);
  const before = read.functions('before', code.before, ['create', 'update', 'delete']);
  const after = read.functions('after', code.after, ['created', 'updated', 'deleted']);
  return {
    computed: read.computed(code.computed, fields),
    hooks: {
      before: {
        create: before.get('create') ?? null,
        update: before.get('update') ?? null,
        delete: before.get('delete') ?? null,
      },
      check: read.checks(code.check, fields),
      after: {
        created: after.get('created') ?? null,
        updated: after.get('updated') ?? null,
        deleted: after.get('deleted') ?? null,
      },
    },
  };
}

/** A resource that is declared in data. */
export const NO_CODE: CompiledCode = { computed: [], hooks: NO_HOOKS };

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

class CodeReader {
  readonly #path: Path;
  readonly #report: Declaration['report'];

  constructor(path: Path, report: Declaration['report']) {
    this.#path = path;
    this.#report = report;
  }

  /** The functions of an object by name. @param known the names that it may have */
  functions(member: string, value: unknown, known: readonly string[]): ReadonlyMap<string, Callable> {
    const found = new Map<string, Callable>();
    for (const [name, each] of this.#entries(member, value)) {
      const at = [...this.#path, member, name];
      if (!known.includes(name)) {
        const meant = nearest(name, known);
        this.#report(
          at,
          `${name} is not known here`,
          meant === null ? `there are ${known.join(', ')}` : `write ${meant}`,
        );
      } else if (each !== undefined) {
        if (isCallable(each)) found.set(name, each);
        else this.#report(at, `${name} is no function`, 'write a function, or leave it out');
      }
    }
    return found;
  }

  checks(value: unknown, fields: readonly Field[]): Hooks['check'] {
    const writable = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
    return this.functions('check', value, writable);
  }

  computed(value: unknown, fields: readonly Field[]): readonly ComputedField[] {
    return this.#entries('computed', value).flatMap(([name, each]) => this.#computedField(name, each, fields) ?? []);
  }

  #computedField(name: string, value: unknown, fields: readonly Field[]): ComputedField | null {
    const at = [...this.#path, 'computed', name];
    const declared = fields.find((field) => field.name === name);
    if (!FIELD_NAME.test(name) || RESERVED_FIELDS.has(name) || declared !== undefined) {
      const cause = declared === undefined ? `${name} cannot be the name of a member` : `${name} is a field already`;
      this.#report(at, cause, 'choose another name, in lower case with underscores');
      return null;
    }
    const definition = new Map(this.#entries(`computed.${name}`, value));
    const compute = definition.get('value');
    if (!isCallable(compute)) {
      this.#report([...at, 'value'], 'value is no function', 'write a function from the row to the value');
      return null;
    }
    const schema = plainSchema(definition.get('schema'));
    if (!textsOf(schema['type']).some((type) => TYPES.includes(type))) {
      this.#report([...at, 'schema', 'type'], 'the values have no type', `write one of ${TYPES.join(', ')}`);
    }
    const shape = compileShape({ declared: schema, path: [...at, 'schema'], report: this.#report }, 'inner');
    return { ...shape, name, schema, from: this.#from(definition.get('from'), at, fields), value: compute };
  }

  /** A value that is worked out from what never leaves would tell it. */
  #from(value: unknown, at: Path, fields: readonly Field[]): readonly string[] {
    const readable = fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name);
    const names = Array.isArray(value) ? value.map(String) : [];
    if (names.length === 0) {
      this.#report([...at, 'from'], 'from names no field', 'list the fields that the value is worked out from');
    }
    for (const [index, name] of names.entries()) {
      if (readable.includes(name)) continue;
      this.#report([...at, 'from', index], `${name} is no field that may be read`, `there are ${readable.join(', ')}`);
    }
    return names;
  }

  #entries(member: string, value: unknown): readonly (readonly [string, unknown])[] {
    if (value === undefined) return [];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
    this.#report(
      [...this.#path, ...member.split('.')],
      `${member} is no object`,
      'write an object of functions by name',
    );
    return [];
  }
}

/**
 * A schema as plain JSON Schema: of another library what Standard Schema gives, without what that adds to say the same twice - its dialect, the
 * bounds of a safe integer, a pattern beside a format that is asserted anyway.
 */
export function plainSchema(schema: unknown): JsonObject {
  // Some libraries have functions for schemas.
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return {};
  const standard: unknown = Reflect.get(schema, '~standard');
  const source = standard === undefined ? schema : standardSchema(standard);
  const plain: unknown = JSON.parse(JSON.stringify(source ?? {}));
  return isSchema(plain) ? trimmed(plain) : {};
}

function standardSchema(standard: unknown): unknown {
  const { jsonSchema } = Object(standard);
  const input: unknown = jsonSchema?.input;
  if (typeof input !== 'function') return undefined;
  return Reflect.apply(input, jsonSchema, [{ target: 'draft-2020-12' }]);
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function trimmed(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, JsonObject[string]][] => {
    if (keyword === '$schema') return [];
    if (keyword === 'pattern' && typeof schema['format'] === 'string') return [];
    if (
      (keyword === 'minimum' && value === -Number.MAX_SAFE_INTEGER) ||
      (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
    )
      return [];
    if (keyword === 'properties' && isJsonObject(value)) {
      return [
        [
          keyword,
          Object.fromEntries(
            Object.entries(value).map(([name, each]) => [name, isJsonObject(each) ? trimmed(each) : each]),
          ),
        ],
      ];
    }
    return [
      [
        keyword,
        (keyword === 'items' || keyword === 'additionalProperties') && isJsonObject(value) ? trimmed(value) : value,
      ],
    ];
  });
  const plain: JsonObject = Object.fromEntries(entries);
  const listed = plain['enum'];
  const isText =
    plain['type'] === undefined && Array.isArray(listed) && listed.every((value) => typeof value === 'string');
  return isText ? { type: 'string', ...plain } : plain;
}
