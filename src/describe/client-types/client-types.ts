// The declarations that `restwright client` writes: the types of an API, for `restwright/client`.
import { linkName } from '../../model/link-name.ts';
import { parseVersion, versionsAgree } from '../../conventions/versioning.ts';
import type { ContractVersion, Field, Model, Property, Resource } from '../../model/model.ts';
import { allowNull, listTimes } from '../../model/table-source.ts';
import type { Relation } from '../../plan/expansion.ts';
import { type DescribedContract, describedContracts } from '../described-contract.ts';
import type { PlacedResource } from '../surface/placed-resource.ts';
import { describeSurface } from '../surface/surface.ts';
import {
  listCommentLines,
  commentText,
  writeLiteral,
  type MemberType,
  membersText,
  memberType,
  objectType,
  findPropertySchema,
  valueType,
} from './value-types.ts';

/** The contract that the types are of. */
export interface TypedContract {
  readonly contract: DescribedContract;
  /** The name of the contract in clients: a major version, or MAJOR.MINOR where another minor of it is newer. */
  readonly version: string;
  /** True if requests that name no version get it. */
  readonly isDefault: boolean;
}

/**
 * The types of a contract, as a TypeScript declaration file. The same contract has the same text, with a line for each
 * field.
 */
export function clientTypes({ contract, version, isDefault }: TypedContract): string {
  const { model } = contract;
  const names = new DeclaredNames();
  const resources = [...describeSurface(contract).resources.values()];
  const types = resources.map((described) => ({ ...described, names: names.of(described.resource) }));
  const declarations = types.flatMap(writeDeclarations);
  const imported = IMPORTED.filter((name) => declarations.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  const versionType = /^\d+$/.test(version) ? version : `'${version}'`;
  const api = membersText([
    { name: 'version', type: isDefault ? `${versionType} | undefined` : versionType },
    {
      name: 'resources',
      type: objectType(types.map(({ resource, names: { types: type } }) => ({ name: linkName(resource), type }))),
    },
  ]);
  return [
    `// Types of the API ${model.name}, version ${contract.version}. Written by \`restwright client\`; do not edit.`,
    `import type { ${imported.join(', ')} } from 'restwright/client';\n`,
    ...commentText([`The types of ${model.title}: \`createClient<Api>({ url })\`.`]),
    `export interface Api {\n${api}\n}\n`,
    ...declarations,
  ].join('\n');
}

const IMPORTED = ['ItemMembers', 'JsonFilter', 'ListFilter', 'ScalarFilter', 'TextFilter'];

/** A resource, and the names of its declarations. */
interface DeclaredResource extends PlacedResource {
  readonly names: ReturnType<DeclaredNames['of']>;
}

function writeDeclarations(declared: DeclaredResource): readonly string[] {
  const { resource, names } = declared;
  const comment = commentText(listCommentLines(resource.schema));
  const types: readonly MemberType[] = [
    { name: 'item', type: names.item },
    { name: 'shown_once', type: objectType(resource.fields.filter(({ shownOnce }) => shownOnce).map(shownMember)) },
    { name: 'body', type: resource.readOnly ? 'never' : names.body },
    { name: 'immutable', type: union(resource.fields.filter(({ immutable }) => immutable).map(({ name }) => name)) },
    { name: 'filters', type: objectType(declared.filterable.flatMap(filterMembers)) },
    { name: 'sort', type: union(declared.sortable.map(({ path }) => path)) },
    { name: 'relations', type: objectType(declared.relations.map(relationMember)) },
    { name: 'parent', type: parentType(declared) },
    { name: 'error_prefix', type: writeLiteral(resource.code) },
  ];
  return [
    ...comment,
    interfaceText(`export interface ${names.item} extends ${systemType(resource)}`, itemMembers(declared)),
    ...(resource.readOnly
      ? []
      : [`/** What creates ${names.item}. */`, interfaceText(`export interface ${names.body}`, bodyMembers(declared))]),
    interfaceText(`interface ${names.types}`, types).replaceAll(/: $/gm, ':'),
  ];
}

/** The type of the members that the server sets. A table that exists may lack times, or have NULL. */
function systemType({ table }: Resource): string {
  return table === null ? 'ItemMembers' : `Omit<ItemMembers, 'created_at' | 'updated_at'>`;
}

/** With an empty line after it. */
function interfaceText(head: string, members: readonly MemberType[]): string {
  return members.length === 0 ? `${head} {}\n` : `${head} {\n${membersText(members)}\n}\n`;
}

/** A field that some callers may not read is missing in their responses. */
function itemMembers({ resource, readable }: DeclaredResource): readonly MemberType[] {
  const { computed, fieldAccess, schema } = resource;
  const isHidden = (name: string): boolean => (fieldAccess.get(name)?.read ?? null) !== null;
  const stored = readable.map((field) =>
    memberType(allowNull(resource, field), findPropertySchema(schema, field.name), 'out'),
  );
  const derived = computed.map(({ name, schema: own, ...shape }) => ({
    name,
    type: valueType({ ...shape, nullable: true }, own, 'out'),
    comment: listCommentLines(own),
  }));
  const times = resource.table === null ? [] : listTimes(resource).map((name) => ({ name, type: 'string | null' }));
  return [...stored, ...derived, ...times].map((member) =>
    isHidden(member.name) ? { ...member, isOptional: true } : member,
  );
}

function bodyMembers({ resource: { id, schema }, writable }: DeclaredResource): readonly MemberType[] {
  const written = writable.map((field) => {
    const member = memberType(field, findPropertySchema(schema, field.name), 'in');
    return field.fill === null ? member : { ...member, isOptional: true };
  });
  if (id.kind === 'server') return written;
  return [{ name: 'id', type: id.number ? 'string | number' : 'string', isOptional: id.optional }, ...written];
}

function shownMember({ name }: Field): MemberType {
  return { name, type: 'string' };
}

function filterMembers(property: Property): readonly MemberType[] {
  const { path, type } = property;
  if (type.kind !== 'json') return [filterMember(property)];
  return [path, `[path: \`${path}.\${string}\`]`].map((name) => ({ name, type: 'JsonFilter' }));
}

function filterMember({ path, type, allowed }: Property): MemberType {
  const value = type.kind === 'array' ? type.item.type.kind : type.kind;
  const isLiteral = value === 'text' || value === 'integer' || value === 'number' || value === 'boolean';
  const listed = isLiteral && allowed !== null ? allowed.map(writeLiteral).join(' | ') : null;
  const plain = value === 'integer' || value === 'number' ? 'number' : value === 'boolean' ? 'boolean' : 'string';
  if (type.kind === 'array') return { name: path, type: `ListFilter<${listed ?? plain}>` };
  if (type.kind === 'text') return { name: path, type: listed === null ? 'TextFilter' : `TextFilter<${listed}>` };
  return { name: path, type: `ScalarFilter<${listed ?? plain}>` };
}

function relationMember({ name, kind, target }: Relation): MemberType {
  return { name, type: `{ readonly to: ${writeLiteral(linkName(target))}; readonly many: ${kind !== 'one'} }` };
}

function parentType({ above: [parent] }: DeclaredResource): string {
  return parent === undefined ? 'null' : writeLiteral(linkName(parent));
}

/** The union of names; of more than two, each in a line of its own. */
function union(names: readonly string[]): string {
  const types = names.map((name) => writeLiteral(name));
  if (types.length > 2) return `\n${types.map((type) => `  | ${type}`).join('\n')}`;
  return types.length === 0 ? 'never' : types.join(' | ');
}

/** The names of the declarations of a resource. */
interface DeclarationNames {
  /** The type of items: `OrderItem`. */
  readonly item: string;
  /** The type of new items: `NewOrderItem`. */
  readonly body: string;
  /** All types of the resource: `OrderItemTypes`. */
  readonly types: string;
}

/** Names that the file imports or declares besides. */
const TAKEN = ['Api', 'ItemMembers', 'ListFilter', 'ScalarFilter', 'TextFilter'];

/** The names of the declarations of one file: each is given once. */
class DeclaredNames {
  readonly #taken = new Set(TAKEN);

  /** The names for a resource; with a number if another resource has them. */
  of({ singular }: Pick<Resource, 'singular'>): DeclarationNames {
    const pascal = singular.replaceAll(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());
    for (let count = 1; ; count += 1) {
      const item = count === 1 ? pascal : `${pascal}${count}`;
      const names = { item, body: `New${item}`, types: `${item}Types` };
      const all = Object.values(names);
      if (all.some((name) => this.#taken.has(name))) continue;
      for (const name of all) this.#taken.add(name);
      return names;
    }
  }
}

/**
 * The contract of a version.
 *
 * @param requested MAJOR, MAJOR.MINOR or MAJOR.MINOR.PATCH; null for the newest contract
 * @returns null if the model serves no such version
 */
export function typedContract(model: Model, requested: string | null): TypedContract | null {
  const contracts = describedContracts(model);
  const contract = requested === null ? contracts[0] : namedContract(contracts, requested);
  if (contract === undefined) return null;
  const { version } = contract.model;
  // The major alone names the first of several minors, newest first.
  const isLatest = contracts.find((each) => each.model.version.major === version.major) === contract;
  return {
    contract,
    version: isLatest ? `${version.major}` : `${version.major}.${version.minor}`,
    isDefault: isLatest && version.major === model.defaultVersion,
  };
}

/** The versions that a model serves, newest first. */
export function servedVersions({ version, versions }: Model): readonly ContractVersion[] {
  return [version, ...versions.filter(({ retired }) => !retired).map((each) => each.version)];
}

/** The newest contract that a number names: the patch never selects (VER-2). */
function namedContract(contracts: readonly DescribedContract[], requested: string): DescribedContract | undefined {
  const parsed = parseVersion(requested);
  if (parsed === null) return undefined;
  return contracts.find(({ model }) => versionsAgree(model.version, { ...parsed, patch: null }));
}
