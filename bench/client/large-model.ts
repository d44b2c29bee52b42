/** The imports of both modules. */
export interface Imports {
  /** The module that defines models. */
  readonly root: string;
  readonly client: string;
}

function writeResource(index: number, count: number): string {
  const next = `things_${(index + 1) % count}`;
  return `  things_${index}: resource({
    schema: {
      type: 'object',
      required: ['name', 'price'],
      properties: {
        name: { type: 'string' },
        price: { type: 'string', format: 'decimal' },
        status: { type: 'string', enum: ['DRAFT', 'ACTIVE'] },
        stock: { type: 'integer' },
        since: { type: 'string', format: 'date-time' },
        tags: { type: 'array', items: { type: 'string' } },
        size: { type: 'object', required: ['unit'], properties: { unit: { type: 'string' }, depth: { type: 'number' } } },
        secret: { type: 'string', writeOnly: true },
        listed: { type: 'boolean' },
        thing_id: { type: 'string', 'x-references': { resource: '${next}', inverse: 'inverse_${index}' } },
      },
    },
    sort: '-price',
    indexes: [['status', 'price']],
    search: ['name'],
  }),`;
}

function writeUse(index: number): string {
  const things = `api.things_${index}`;
  return `export async function use${index}(): Promise<string> {
  const made = await ${things}.create({ name: 'a', price: '1', thing_id: 'x' });
  const changed = await ${things}.update(made, { stock: 3 });
  const query = { filter: { price: { gt: '1' }, 'thing.name': 'a', 'size.depth': { lt: 3 } }, sort: ['-price'] } as const;
  for await (const each of ${things}.list({ ...query, fields: ['name', 'size.unit'], expand: ['thing.thing'] }))
    return each.thing?.thing?.name ?? each.size?.unit ?? '';
  await ${things}.delete(changed.id);
  return '';
}`;
}

/**
 * The modules of a model with so many resources, and of a program that uses every tenth. Each resource refers to
 * another.
 */
export function largeModel(count: number, { root, client }: Imports): { readonly model: string; readonly use: string } {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const resources = indexes.map((index) => writeResource(index, count)).join('\n');
  const head = `import { createClient } from '${client}';\nimport type model from './model.ts';\n`;
  return {
    model: `import { defineModel, resource } from '${root}';\nexport default defineModel({ name: 'large', resources: {\n${resources}\n} });\n`,
    use: [
      `${head}const api = createClient<typeof model>({ url: '/api' });`,
      ...indexes.filter((index) => index % 10 === 0).map(writeUse),
    ].join('\n'),
  };
}
