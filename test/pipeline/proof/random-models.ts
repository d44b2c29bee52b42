import type { Random } from '../../../scripts/campaign/random.ts';
import type {
  Rule,
  RuledCaller,
  RuledField,
  RuledModel,
  RuledResource,
  RowOperation,
  Tree,
} from '../../oracle/ruled-model.ts';
import { RuledRows } from '../../oracle/ruled-rows.ts';

const NAMES = ['teams', 'projects', 'tasks', 'notes', 'labels'];
export const TENANTS = ['acme', 'byte'];
export const SUBJECTS = ['ann', 'bob'];
export const KINDS = ['A', 'B', 'C'];
export const STATES = ['DRAFT', 'LIVE', 'DONE'];

/** A model of up to five resources, nested up to three levels. */
export function randomModel(random: Random): RuledModel {
  const model: Record<string, RuledResource> = {};
  for (const name of NAMES.slice(0, random.integer(2, NAMES.length))) model[name] = bareResource(name, model, random);
  for (const resource of Object.values(model)) {
    model[resource.name] = { ...resource, fields: withRandomAccess(resource, random) };
  }
  const rows = new RuledRows(model);
  for (const resource of Object.values(model)) {
    model[resource.name] = { ...resource, rows: randomRules(rows, resource, random) };
  }
  return model;
}

function bareResource(name: string, model: RuledModel, random: Random): RuledResource {
  const parents = Object.values(model).filter((each) => measureDepth(model, each) < 3);
  const parent = parents.length > 0 && random.chance(0.5) ? random.pick(parents) : null;
  const owner = random.chance(0.35) ? { field: 'owner_id', bypass: random.chance(0.5) ? `${name}:admin` : null } : null;
  const hasState = random.chance(0.3);
  const fields: Record<string, RuledField> = {
    memo: { kind: 'text', searched: true },
    name: { kind: 'text', searched: true, ...(random.chance(0.3) ? { required: true } : {}) },
    tenant: { kind: 'text' },
    n: { kind: 'number' },
    flag: { kind: 'boolean' },
    kind: { kind: 'text', members: KINDS, ...(random.chance(0.5) ? { default: 'A' } : {}) },
    ...(random.chance(0.3) ? { code: { kind: 'text', unique: true } } : {}),
    ...(owner === null ? {} : { owner_id: { kind: 'text', readOnly: true } }),
    ...(hasState ? { status: { kind: 'text', members: STATES, default: 'DRAFT' } } : {}),
    ...randomReferences(name, parent, model, random),
  };
  return {
    name,
    singular: name.slice(0, -1),
    parent: parent?.name ?? null,
    onParentDelete: random.pick(['restrict', 'cascade']),
    ids: random.chance(0.7) ? 'client' : 'uuid',
    fields,
    read: randomRule(`${name}:read`, random),
    write: random.chance(0.75) ? 'authenticated' : { scope: `${name}:write` },
    owner,
    rows: {},
    state: hasState
      ? { field: 'status', initial: 'DRAFT', transitions: { DRAFT: ['LIVE'], LIVE: ['DONE', 'DRAFT'] } }
      : null,
  };
}

/** Fields that not every caller may read or write: any but those that are searched and required. */
function withRandomAccess({ name, fields }: RuledResource, random: Random): Readonly<Record<string, RuledField>> {
  if (random.chance(0.5)) return fields;
  const gated = Object.entries(fields).map(([field, each]): [string, RuledField] => {
    if (each.searched || each.required || !random.chance(0.3)) return [field, each];
    const rule = (scope: string): Rule => (random.chance(0.2) ? 'authenticated' : { scope });
    const read = random.chance(0.7) ? { read: rule(`${name}:see`) } : {};
    const write = random.chance(0.6) && !each.readOnly ? { write: rule(`${name}:set`) } : {};
    return [field, { ...each, access: { ...read, ...write } }];
  });
  return Object.fromEntries(gated);
}

function randomRule(scope: string, random: Random): Rule {
  if (random.chance(0.2)) return 'public';
  return random.chance(0.75) ? 'authenticated' : { scope };
}

function measureDepth(model: RuledModel, { parent }: RuledResource): number {
  const above = parent === null ? undefined : model[parent];
  return above === undefined ? 1 : 1 + measureDepth(model, above);
}

/** A nested resource can be referred to by its ids where the server makes them. */
function randomReferences(
  name: string,
  parent: RuledResource | null,
  model: RuledModel,
  random: Random,
): Record<string, RuledField> {
  const targets = Object.values(model)
    .filter((each) => each.parent === null || each.ids === 'uuid')
    .map((each) => each.name);
  if (parent === null) targets.push(name);
  const fields: Record<string, RuledField> = {};
  for (const as of random.some(['first', 'second'], 0.5)) {
    if (targets.length === 0) continue;
    const inverse = random.chance(0.5) ? `${name}_by_${as}` : null;
    const target = random.pick(targets);
    // Rows that refer to each other and cannot lose their references cannot be deleted: a matter of its own.
    const onOwn = as === 'first' ? (['restrict', 'nullify'] as const) : (['nullify'] as const);
    const onDelete = random.pick(target === name ? onOwn : (['restrict', 'cascade', 'nullify', 'nullify'] as const));
    fields[`${as}_id`] = { kind: 'text', reference: { resource: target, as, inverse, onDelete } };
  }
  return fields;
}

function randomRules(rows: RuledRows, resource: RuledResource, random: Random): Partial<Record<RowOperation, Tree>> {
  const rules: Partial<Record<RowOperation, Tree>> = {};
  if (random.chance(0.65)) rules.read = randomTree(rows, resource, random, 3);
  for (const operation of ['create', 'update', 'delete'] as const) {
    if (random.chance(0.2)) rules[operation] = random.chance(0.3) || randomTree(rows, resource, random, 2);
  }
  return rules;
}

function randomTree(rows: RuledRows, resource: RuledResource, random: Random, depth: number): Tree {
  const kind = depth === 0 ? 'field' : random.pick(['field', 'field', 'any', 'any', 'all', 'not', 'members']);
  const trees = (): readonly Tree[] =>
    Array.from({ length: random.integer(1, 3) }, () => randomTree(rows, resource, random, depth - 1));
  switch (kind) {
    case 'any':
    case 'all':
      return { [kind]: trees() };
    case 'not':
      return { not: randomTree(rows, resource, random, depth - 1) };
    case 'members':
      return Object.assign({}, ...[1, 2].map(() => randomComparison(rows, resource, random)));
    default:
      return randomComparison(rows, resource, random);
  }
}

function randomComparison(rows: RuledRows, resource: RuledResource, random: Random): Tree {
  let target = resource;
  const path: string[] = [];
  while (path.length < 2 && random.chance(0.3)) {
    const ones = rows.relations(target).filter(({ kind }) => kind === 'one');
    if (ones.length === 0) break;
    const relation = random.pick(ones);
    path.push(relation.name);
    target = relation.target;
  }
  const names = Object.keys(target.fields).filter((name) => !['memo', 'name', 'code'].includes(name));
  const name = random.pick([...names, 'tenant', 'tenant', 'n']);
  return { [[...path, name].join('.')]: randomOperand(rows.fieldAt(target, [name]), name, random) };
}

function randomOperand(field: RuledField, name: string, random: Random): unknown {
  if (random.chance(0.1)) return { exists: random.chance(0.5) };
  if (field.kind === 'boolean') return random.pick([true, false, '$caller.claims.flag', { ne: '$caller.claims.flag' }]);
  if (field.kind === 'number') {
    return {
      [random.pick(['gt', 'lte', 'eq', 'ne'])]: random.pick([1, 2, '$caller.claims.level', '$caller.claims.level']),
    };
  }
  if (field.members !== undefined) {
    return random.pick<unknown>([
      field.members[1],
      { ne: field.members[0] },
      { in: [field.members[0], field.members[2]] },
      '$caller.claims.kind',
    ]);
  }
  if (name === 'owner_id')
    return random.pick<unknown>(['$caller.subject', { ne: '$caller.subject' }, { in: ['$caller.subject', 'ann'] }]);
  if (name !== 'tenant') return random.pick<unknown>([{ exists: true }, { ne: '$caller.subject' }, 'a']);
  return random.pick<unknown>([
    '$caller.claims.tenant',
    '$caller.claims.tenant',
    '$caller.claims.org.name',
    { ne: '$caller.claims.tenant' },
    { in: '$caller.claims.groups' },
    { nin: '$caller.claims.groups' },
    { in: '$caller.scopes' },
    { in: ['acme', '$caller.claims.tenant'] },
    'acme',
    { starts_with: 'b' },
    { contains: '$caller.claims.part' },
  ]);
}

/** Callers that see different rows; the last one is anonymous. Two of them are one identity with other claims. */
export function randomCallers(model: RuledModel, random: Random): readonly RuledCaller[] {
  const scopes = Object.keys(model).flatMap((name) => [
    `${name}:read`,
    `${name}:write`,
    `${name}:admin`,
    `${name}:see`,
    `${name}:set`,
  ]);
  const claims = (): Record<string, unknown> => {
    const tenant = random.pick<unknown>(['acme', 'byte', 7, null, ['acme']]);
    return {
      ...(random.chance(0.8) ? { tenant } : {}),
      ...(random.chance(0.7) ? { level: random.pick<unknown>([0, 1, 2, '1']) } : {}),
      ...(random.chance(0.7)
        ? { groups: random.pick<unknown>([['acme'], ['byte', 'acme'], [], 'acme', ['acme', 3]]) }
        : {}),
      ...(random.chance(0.5) ? { org: random.pick<unknown>([{ name: 'acme' }, 'acme', { name: 1 }]) } : {}),
      ...(random.chance(0.5) ? { flag: random.pick<unknown>([true, false, 'true']) } : {}),
      ...(random.chance(0.5) ? { kind: random.pick(['A', 'B', 'Z']) } : {}),
      ...(random.chance(0.5) ? { part: 'c' } : {}),
    };
  };
  return [
    {
      subject: 'ann',
      scopes: random.some(scopes, 0.8),
      claims: { tenant: 'acme', level: 2, groups: ['acme', 'byte'] },
    },
    { subject: 'ann', scopes: random.some(scopes, 0.6), claims: claims() },
    { subject: 'bob', scopes: random.some(scopes, 0.6), claims: { ...claims(), tenant: 'byte' } },
    { subject: 'bob', scopes: random.some(scopes, 0.4), claims: claims() },
    { subject: 'root', scopes: [...scopes, 'acme'], claims: claims() },
    { subject: null, scopes: null, claims: {} },
  ];
}

/** Serializes a model as the document that declares it. */
export function serializeModel(model: RuledModel): string {
  const resources = Object.fromEntries(Object.values(model).map((resource) => [resource.name, declared(resource)]));
  const issuer = {
    name: 'test',
    issuer: 'https://id.example.com',
    audience: 'proof',
    hs256_secret: '0123456789abcdef0123456789abcdef',
  };
  return JSON.stringify({ name: 'proof', auth: { issuers: [issuer] }, limits: { rate: false }, resources });
}

function declared({
  name: _name,
  parent,
  onParentDelete,
  ids,
  fields,
  read,
  write,
  owner,
  rows,
  state,
}: RuledResource): object {
  const access = Object.entries(fields).flatMap(([name, field]) =>
    field.access === undefined || Object.keys(field.access).length === 0 ? [] : [[name, field.access] as const],
  );
  const properties = Object.entries(fields).map(([name, field]) => [name, property(field)] as const);
  const required = Object.entries(fields)
    .filter(([, field]) => field.required)
    .map(([name]) => name);
  return {
    ...(parent === null ? {} : { parent, on_parent_delete: onParentDelete }),
    id: ids,
    schema: {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(properties),
    },
    search: Object.entries(fields)
      .filter(([, field]) => field.searched)
      .map(([name]) => name),
    ...(state === null ? {} : { state }),
    access: {
      read,
      write,
      ...(owner === null ? {} : { owner: owner.bypass === null ? owner.field : owner }),
      ...(Object.keys(rows).length === 0 ? {} : { rows }),
      ...(access.length === 0 ? {} : { fields: Object.fromEntries(access) }),
    },
  };
}

function property({ kind, members, default: byDefault, unique, readOnly, reference }: RuledField): object {
  return {
    type: { text: 'string', number: 'integer', boolean: 'boolean' }[kind],
    ...(members === undefined ? {} : { enum: members }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(unique === true ? { 'x-unique': true } : {}),
    ...(readOnly === true ? { readOnly } : {}),
    ...(reference === undefined
      ? {}
      : {
          'x-references': {
            resource: reference.resource,
            as: reference.as,
            on_delete: reference.onDelete,
            ...(reference.inverse === null ? {} : { inverse: reference.inverse }),
          },
        }),
  };
}
