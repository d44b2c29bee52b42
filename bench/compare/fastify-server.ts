// A handwritten production server: Fastify with schemas for requests and responses, better-sqlite3 with statements prepared once, an ETag
// from the revision, durable writes, and one log line per request, written in the background. It has no other conventions.
// Argument: the database file.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import sonicBoom from 'sonic-boom';

interface Product {
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  readonly category: string;
  readonly stock: number;
  readonly status: string;
  readonly description: string | null;
}

interface Row extends Product {
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly revision: number;
}

interface PageQuery {
  readonly limit: number;
  readonly offset: number;
  readonly after?: string;
  readonly category?: string;
  readonly price_from?: number;
  readonly sort?: 'price';
}

const [file = ''] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.pragma('foreign_keys = on');
database.pragma('mmap_size = 268435456');

const select = database.prepare<[string], Row>('select * from products where id = ?');
const insert = database.prepare<[Product & { id: string; at: number }], Row>(`insert into products values
  (@id, @sku, @name, @price, @category, @stock, @status, @description, @at, @at, 1) returning *`);
const update = database.prepare<
  [Row],
  Row
>(`update products set sku = @sku, name = @name, price = @price, category = @category,
  stock = @stock, status = @status, description = @description, updated_at = @updated_at, revision = revision + 1
  where id = @id returning *`);

const pageStatements = new Map<string, Database.Statement<[PageQuery], Row>>();

function selectPage(query: PageQuery): Row[] {
  const conditions = [
    ...(query.category === undefined ? [] : ['category = @category']),
    ...(query.price_from === undefined ? [] : ['price >= @price_from']),
    ...(query.after === undefined ? [] : ['id > @after']),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const order = query.sort === undefined ? 'id' : 'price, id';
  const text = `select * from products ${where} order by ${order} limit @limit offset @offset`;
  return pageStatements.getOrInsertComputed(text, () => database.prepare(text)).all(query);
}

const fields = {
  sku: { type: 'string', minLength: 1, maxLength: 40 },
  name: { type: 'string', minLength: 1, maxLength: 200 },
  price: { type: 'number', minimum: 0 },
  category: { type: 'string', maxLength: 40 },
  stock: { type: 'integer', minimum: 0 },
  status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'] },
  description: { type: 'string', maxLength: 2000, nullable: true },
};
const createSchema = {
  type: 'object',
  required: ['sku', 'name', 'price', 'category'],
  additionalProperties: false,
  properties: {
    ...fields,
    stock: { ...fields.stock, default: 0 },
    status: { ...fields.status, default: 'DRAFT' },
    description: { ...fields.description, default: null },
  },
};
const patchSchema = { type: 'object', minProperties: 1, additionalProperties: false, properties: fields };
const productSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    ...fields,
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
    revision: { type: 'integer' },
  },
};
const listSchema = { type: 'object', properties: { data: { type: 'array', items: productSchema } } };
const querystring = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    offset: { type: 'integer', minimum: 0, default: 0 },
    after: { type: 'string', format: 'uuid' },
    category: { type: 'string', maxLength: 40 },
    price_from: { type: 'number', minimum: 0 },
    sort: { type: 'string', enum: ['price'] },
  },
};
const params = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } };

function toJson({ created_at, updated_at, ...row }: Row): object {
  return { ...row, created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() };
}

function etag({ revision }: Row): string {
  return `"${revision}"`;
}

// The cost of log lines is measured, without that of a terminal.
const log = new sonicBoom.SonicBoom({ dest: '/dev/null', sync: false, minLength: 4096, periodicFlush: 1000 });
const app = fastify({ logger: { stream: log }, disableRequestLogging: true });

app.addHook('onResponse', (request, reply, done) => {
  const { method, url, id } = request;
  request.log.info({ id, method, url, status: reply.statusCode, ms: reply.elapsedTime }, 'request');
  done();
});

app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE') return reply.code(409).send({ error: 'sku is taken' });
  if (error.statusCode !== undefined) return reply.code(error.statusCode).send({ error: error.message });
  request.log.error(error);
  return reply.code(500).send({ error: 'internal error' });
});

app.get<{ Params: { id: string } }>(
  '/api/v1/products/:id',
  { schema: { params, response: { 200: productSchema } } },
  (request, reply) => {
    const row = select.get(request.params.id);
    if (row === undefined) return reply.code(404).send({ error: 'not found' });
    reply.header('ETag', etag(row));
    if (request.headers['if-none-match'] === etag(row)) return reply.code(304).send();
    return reply.send(toJson(row));
  },
);

app.get<{ Querystring: PageQuery }>(
  '/api/v1/products',
  { schema: { querystring, response: { 200: listSchema } } },
  (request, reply) => reply.send({ data: selectPage(request.query).map(toJson) }),
);

app.post<{ Body: Product }>(
  '/api/v1/products',
  { schema: { body: createSchema, response: { 201: productSchema } } },
  (request, reply) => {
    const row = insert.get({ ...request.body, id: randomUUID(), at: Date.now() });
    if (row === undefined) throw new Error('the statement returned no row');
    return reply
      .code(201)
      .headers({ Location: `/api/v1/products/${row.id}`, ETag: etag(row) })
      .send(toJson(row));
  },
);

app.patch<{ Params: { id: string }; Body: Partial<Product> }>(
  '/api/v1/products/:id',
  { schema: { params, body: patchSchema, response: { 200: productSchema } } },
  (request, reply) => {
    const before = select.get(request.params.id);
    if (before === undefined) return reply.code(404).send({ error: 'not found' });
    const row = update.get({ ...before, ...request.body, updated_at: Date.now() });
    if (row === undefined) throw new Error('the statement returned no row');
    return reply.header('ETag', etag(row)).send(toJson(row));
  },
);

process.once('SIGTERM', () => {
  void app.close().then(() => database.close());
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listening on ${address}/api\n`);
