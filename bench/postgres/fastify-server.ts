// A handwritten server on PostgreSQL: Fastify with schemas for requests and responses, and `pg` with its pool and named
// statements. It has integer keys, an ETag from the revision, no log, and no other conventions. Argument: the URL of
// the database, with the schema in `options`.
import { createHash } from 'node:crypto';
import process from 'node:process';
import fastify from 'fastify';
import pg from 'pg';
import { FIELD_NAMES, productSchemas } from '../compare/product-schemas.ts';

interface Row {
  readonly id: string;
  readonly price: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly revision: number;
}

interface PageQuery {
  readonly limit: number;
  readonly after?: string;
  readonly category?: string;
  readonly price_from?: number;
  readonly sort?: 'price';
}

const [connectionString = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 10 });

/** Runs a statement that each session prepares once. */
async function run(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
  const { rows } = await pool.query<Row>({ name, text, values: [...values] });
  return rows;
}

const texts = new Map<string, string>();

function selectPage({ limit, after, category, price_from, sort }: PageQuery): Promise<readonly Row[]> {
  const given = [
    ['category =', category],
    ['price >=', price_from],
    ['id >', after],
  ].filter(([, value]) => value !== undefined);
  const name = `${given.map(([condition]) => condition).join()} ${sort ?? 'id'}`;
  const text = texts.getOrInsertComputed(name, () => {
    const conditions = given.map(([condition], index) => `${condition} $${index + 2}`);
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    return `select * from products ${where} order by ${sort === undefined ? 'id' : 'price, id'} limit $1`;
  });
  return run(name, text, [limit, ...given.map(([, value]) => value)]);
}

const key = { type: 'string', pattern: '^[0-9]+$' };
const schemas = productSchemas(key, { type: 'string' }, { type: 'string', format: 'date-time' });
const { params, querystring } = schemas;

const INSERT = `insert into products (${FIELD_NAMES.join()}, created_at, updated_at)
  values (${FIELD_NAMES.map((_, index) => `$${index + 1}`).join()}, now(), now()) returning *`;
const UPDATE = `update products set ${FIELD_NAMES.map((name, index) => `${name} = coalesce($${index + 2}, ${name})`).join()},
  updated_at = now(), revision = revision + 1 where id = $1 returning *`;

const app = fastify({ logger: false });

app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, _request, reply) => {
  if (error.code === '23505') return reply.code(409).send({ error: 'sku is taken' });
  return reply.code(error.statusCode ?? 500).send({ error: error.message });
});

app.get<{ Params: { id: string } }>(
  '/api/v1/products/:id',
  { schema: { params, response: { 200: schemas.item } } },
  async (request, reply) => {
    const [row] = await run('item', 'select * from products where id = $1', [request.params.id]);
    if (row === undefined) return reply.code(404).send({ error: 'not found' });
    const etag = `"${row.revision}"`;
    reply.header('ETag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return row;
  },
);

app.get<{ Querystring: PageQuery }>(
  '/api/v1/products',
  { schema: { querystring, response: { 200: schemas.list } } },
  async (request, reply) => {
    const data = await selectPage(request.query);
    const hash = createHash('sha1');
    for (const { id, revision } of data) hash.update(`${id} ${revision}\n`);
    const etag = `"${hash.digest('base64')}"`;
    reply.header('ETag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return { data };
  },
);

app.post<{ Body: Readonly<Record<string, unknown>> }>(
  '/api/v1/products',
  { schema: { body: schemas.createBody, response: { 201: schemas.item } } },
  async ({ body }, reply) => {
    const [row] = await run(
      'insert',
      INSERT,
      FIELD_NAMES.map((name) => body[name]),
    );
    if (row === undefined) throw new Error('the statement returned no row');
    reply.code(201).headers({ Location: `/api/v1/products/${row.id}`, ETag: `"${row.revision}"` });
    return row;
  },
);

app.patch<{ Params: { id: string }; Body: Readonly<Record<string, unknown>> }>(
  '/api/v1/products/:id',
  { schema: { params, body: schemas.patchBody, response: { 200: schemas.item } } },
  async ({ params: { id }, body }, reply) => {
    const [row] = await run('update', UPDATE, [id, ...FIELD_NAMES.map((name) => body[name])]);
    if (row === undefined) return reply.code(404).send({ error: 'not found' });
    reply.header('ETag', `"${row.revision}"`);
    return row;
  },
);

process.once('SIGTERM', () => {
  void app.close().then(() => pool.end());
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listening on ${address}/api\n`);
