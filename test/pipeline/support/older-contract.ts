import { parse } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { toSingular } from '../../../src/model/compile/fields/names.ts';
import type { DefinedModel } from '../../../src/model/typescript/define-model.ts';
import { readArray, readObject, readString, readStrings } from '../../../src/model/values/access.ts';
import { readParent } from '../../../src/model/values/parent.ts';

/** The newest version of a model that is served as an older one. */
const NEWEST = '99.0.0';
/** The prefix of every name in the newest version. */
const PREFIX = 'new_';
const PREFIXES = /\bnew[_-]|NEW_/g;
/** Cursors and secrets, whose random characters may be those of a prefix; longer than any name. */
const TOKENS = /[\w-]{40,}/g;

/**
 * A model whose only older version is the given one. Every collection, singular, field and member of an object has
 * another name in the newest version. A TypeScript model is the same in both, because its functions use the names of
 * its fields.
 */
export function servedAsOlder(declared: string | DefinedModel): string | DefinedModel {
  if (typeof declared === 'string') {
    const document: Json = parse(declared);
    return isJsonObject(document) ? JSON.stringify(renamedModel(document)) : declared;
  }
  const { definition } = declared;
  const { version = '1.0.0', default_version: byDefault = parseMajor(version) } = definition;
  if (definition.versions !== undefined) return declared;
  const versions = { [version]: {} };
  return { ...declared, definition: { ...definition, version: NEWEST, default_version: byDefault, versions } };
}

/** The names that the newest version alone has, in a text, outside of tokens. */
export function newestNames(text: string): readonly string[] {
  return text.replaceAll(TOKENS, '').match(PREFIXES) ?? [];
}

/** A text of the newest version by the names of the older one. */
export function withOlderNames(text: string): string {
  return text.replaceAll(PREFIXES, '');
}

function parseMajor(version: string): number {
  return Number(version.split('.', 1)[0]);
}

function renamedModel(document: JsonObject): JsonObject {
  const version = readString(document['version']) ?? '1.0.0';
  const resources = readObject(document['resources']);
  if ('versions' in document) return document;
  const renamer = new Renamer(document);
  const changes = Object.entries(resources).map(([name, held]) => renamer.change(name, readObject(held)));
  return {
    ...document,
    version: NEWEST,
    default_version: document['default_version'] ?? parseMajor(version),
    resources: Object.fromEntries(
      Object.entries(resources).map(([name, held]) => [PREFIX + name, renamer.resource(name, readObject(held))]),
    ),
    versions: { [version]: { changes } },
  };
}

/** Renames the fields of the resources of one document, and what refers to them. */
class Renamer {
  readonly #document: JsonObject;
  /** By resource: the newer path of each path. */
  readonly #paths: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By resource, each relation by its name. */
  readonly #relations: ReadonlyMap<string, ReadonlyMap<string, Relation>>;

  constructor(document: JsonObject) {
    this.#document = document;
    const resources = Object.entries(readObject(document['resources']));
    this.#paths = new Map(resources.map(([name, held]) => [name, renamedPaths(readObject(held))]));
    const relations = resources.flatMap(([name, held]) => [
      ...collectRelations(name, readObject(readObject(held)['schema'])),
      ...parentRelations(name, readObject(held), readObject(document['resources'])),
    ]);
    this.#relations = new Map(
      resources.map(([name]) => [
        name,
        new Map(relations.filter(({ of }) => of === name).map((each) => [each.as, each])),
      ]),
    );
  }

  /** The change of the older version. */
  change(name: string, resource: JsonObject): JsonObject {
    const paths = this.#paths.get(name) ?? new Map<string, string>();
    const singular = readString(resource['singular']);
    return {
      resource: PREFIX + name,
      collection: name,
      ...(singular === null ? {} : { singular }),
      ...(paths.size === 0 ? {} : { rename: Object.fromEntries(paths) }),
    };
  }

  resource(name: string, resource: JsonObject): JsonObject {
    const path = (old: string): string => this.#path(name, old);
    const renamed = Object.entries(resource).map(([member, value]): readonly [string, Json] => {
      switch (member) {
        case 'singular':
          return [member, PREFIX + readString(value)];
        case 'parent':
          return [
            member,
            typeof value === 'string' ? PREFIX + value : withPath(value, 'resource', (parent) => PREFIX + parent),
          ];
        case 'schema':
          return [member, this.#schema(readObject(value), this.#paths.get(name) ?? new Map(), '')];
        case 'unique':
        case 'indexes':
        case 'search':
        case 'sortable':
        case 'filterable':
          return [
            member,
            readArray(value).map((each) => (typeof each === 'string' ? path(each) : readStrings(each).map(path))),
          ];
        case 'sort':
          return [
            member,
            (readString(value) ?? '')
              .split(',')
              .map((key) => key.replace(/[^-].*/, path))
              .join(),
          ];
        case 'time_field':
          return [member, path(readString(value) ?? '')];
        case 'state':
          return [member, { ...readObject(value), field: path(readString(readObject(value)['field']) ?? '') }];
        case 'generated':
          return [member, byPath(readObject(value), path, (rule) => withPath(rule, 'hint', path))];
        case 'access':
          return [member, this.#access(name, readObject(value))];
        default:
          return [member, value];
      }
    });
    return { ...Object.fromEntries(renamed), ...this.#columns(name, resource), ...this.#scopes(name, resource) };
  }

  /** The columns of a table keep their names. */
  #columns(name: string, { table, columns }: JsonObject): JsonObject {
    if (table === undefined) return {};
    const declared = readObject(columns);
    const fields = [...(this.#paths.get(name) ?? [])].filter(([older]) => !older.includes('.'));
    return { columns: Object.fromEntries(fields.map(([older, newer]) => [newer, declared[older] ?? older])) };
  }

  /** Scopes are those of the newest version: named here, so that they are those of the older one. */
  #scopes(name: string, { parent, access }: JsonObject): JsonObject {
    if (this.#document['auth'] === undefined || parent !== undefined) return {};
    const collection = name.replaceAll('_', '-');
    const rules = { read: { scope: `${collection}:read` }, write: { scope: `${collection}:write` } };
    return { access: { ...rules, ...this.#access(name, readObject(access)) } };
  }

  #access(name: string, { owner, rows, fields, ...access }: JsonObject): JsonObject {
    const path = (old: string): string => this.#path(name, old);
    const policies = Object.entries(readObject(rows)).map(([each, tree]) => [each, this.#policy(name, tree)] as const);
    return {
      ...access,
      ...(owner === undefined
        ? {}
        : { owner: typeof owner === 'string' ? path(owner) : withPath(owner, 'field', path) }),
      ...(rows === undefined ? {} : { rows: Object.fromEntries(policies) }),
      ...(fields === undefined ? {} : { fields: byPath(readObject(fields), path, (rule) => rule) }),
    };
  }

  #policy(name: string, tree: Json): Json {
    if (!isJsonObject(tree)) return tree;
    return Object.fromEntries(
      Object.entries(tree).map(([key, value]): readonly [string, Json] => {
        if (key === 'all' || key === 'any') return [key, readArray(value).map((each) => this.#policy(name, each))];
        return key === 'not' ? [key, this.#policy(name, value)] : [this.#path(name, key), value];
      }),
    );
  }

  /** A path through relations: each step by the names of its resource. */
  #path(name: string, path: string): string {
    const found = this.#paths.get(name)?.get(path);
    if (found !== undefined) return found;
    const [first = '', ...rest] = path.split('.');
    const relation = this.#relations.get(name)?.get(first);
    if (relation !== undefined && rest.length > 0)
      return `${relation.isDerived ? PREFIX : ''}${first}.${this.#path(relation.to, rest.join('.'))}`;
    // The id of the parent has its singular.
    return path.endsWith('_id') ? PREFIX + path : path;
  }

  #schema(schema: JsonObject, paths: ReadonlyMap<string, string>, prefix: string): JsonObject {
    const newer = (name: string): string => paths.get(prefix + name)?.replace(/^.*\./, '') ?? name;
    const { properties, required, ...others } = schema;
    const members = Object.entries(readObject(properties)).map(([name, held]) => {
      const own = isJsonObject(held) ? this.#schema(this.#reference(held), paths, `${prefix}${name}.`) : held;
      return [newer(name), own] as const;
    });
    return {
      ...others,
      ...(required === undefined ? {} : { required: readStrings(required).map(newer) }),
      ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    };
  }

  #reference(schema: JsonObject): JsonObject {
    const { 'x-references': target, items } = schema;
    return {
      ...schema,
      ...(isJsonObject(items) ? { items: this.#reference(items) } : {}),
      ...(typeof target === 'string' ? { 'x-references': PREFIX + target } : {}),
      ...(isJsonObject(target) ? { 'x-references': withPath(target, 'resource', (name) => PREFIX + name) } : {}),
    };
  }
}

/**
 * The paths of a resource and their names in the newest version, members of objects included. Those of objects in the
 * columns of a table keep their names.
 */
function renamedPaths({ schema, table }: JsonObject): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const add = ({ properties }: JsonObject, older: string, newer: string): void => {
    for (const [name, held] of Object.entries(readObject(properties))) {
      if (!/^[a-z][a-z0-9_]*$/.test(name)) continue;
      paths.set(older + name, `${newer}${PREFIX}${name}`);
      // The members of a default would need other names, too.
      if (table === undefined && isJsonObject(held) && held['default'] === undefined)
        add(held, `${older}${name}.`, `${newer}${PREFIX}${name}.`);
    }
  };
  add(readObject(schema), '', '');
  return paths;
}

interface Relation {
  readonly of: string;
  readonly as: string;
  readonly to: string;
  /** True if its name is derived from that of its field. */
  readonly isDerived: boolean;
}

function collectRelations(resource: string, schema: JsonObject): readonly Relation[] {
  return Object.entries(readObject(schema['properties'])).flatMap(([field, held]) => {
    const declared = readObject(held)['x-references'];
    if (declared === undefined) return [];
    const long = isJsonObject(declared) ? declared : { resource: declared };
    const to = readString(long['resource']) ?? '';
    const inverse = readString(long['inverse']);
    const as = readString(long['as']);
    const own = { of: resource, as: as ?? field.replace(/_id$/, ''), to, isDerived: as === null };
    return [own, ...(inverse === null ? [] : [{ of: to, as: inverse, to: resource, isDerived: false }])];
  });
}

/** Policies reach the parent by its singular, or by the name that is declared for it. */
function parentRelations(of: string, declared: JsonObject, resources: JsonObject): readonly Relation[] {
  const parent = readParent(declared);
  if (parent === null) return [];
  const { resource: to, as } = parent;
  const singular = readString(readObject(resources[to])['singular']) ?? toSingular(to);
  return [{ of, as: as ?? singular, to, isDerived: as === undefined }];
}

function byPath(members: JsonObject, path: (old: string) => string, value: (held: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, held]) => [path(name), value(held)]));
}

function withPath(held: Json, member: string, path: (old: string) => string): Json {
  if (!isJsonObject(held)) return held;
  const { [member]: name } = held;
  return typeof name === 'string' ? { ...held, [member]: path(name) } : held;
}
