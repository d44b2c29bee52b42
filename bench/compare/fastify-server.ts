// A handwritten production server: Fastify with schemas for requests and responses, and better-sqlite3 with statements
// prepared once. It has an ETag from the revision, durable writes, and one log line per request, written in the
// background. It has no other conventions.
// Arguments: the database file; `bare` for integer keys, no log and no memory mapping.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import sonicBoom from 'sonic-boom';
import { productSchemas } from './product-schemas.ts';

interface Product {
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  readonly category: string;
  readonly stock: number;
  readonly status: string;
  readonly description: string | null;
}

/** A UUID, or an integer if the server is bare. */
type Key = string | number;

interface Row extends Product {
  readonly id: Key;
  readonly created_at: number;
  readonly updated_at: number;
  readonly revision: number;
}

interface PageQuery {
  readonly limit: number;
  readonly offset: number;
  readonly after?: Key;
  readonly category?: string;
  readonly price_from?: number;
  readonly sort?: 'price';
}

const [file = '', mode] = process.argv.slice(2);
const bare = mode === 'bare';
const database = new Database(file);
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.pragma('foreign_keys = on');
if (!bare) database.pragma('mmap_size = 268435456');

const select = database.prepare<[Key], Row>('select * from products where id = ?');
const insert = database.prepare<[Product & { id: Key | null; at: number }], Row>(`insert into products values
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

const key = bare ? { type: 'integer' } : { type: 'string', format: 'uuid' };
const schemas = productSchemas(key, { type: bare ? 'integer' : 'string' }, { type: 'string' });
const { params, querystring } = schemas;

function toJson({ created_at, updated_at, ...row }: Row): object {
  return { ...row, created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() };
}

function etag({ revision }: Row): string {
  return `"${revision}"`;
}

// The cost of log lines is measured, without that of a terminal.
const log = new sonicBoom.SonicBoom({ dest: '/dev/null', sync: false, minLength: 4096, periodicFlush: 1000 });
const app = fastify({ logger: bare ? false : { stream: log }, disableRequestLogging: true });

if (!bare) {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, id } = request;
    request.log.info({ id, method, url, status: reply.statusCode, ms: reply.elapsedTime }, 'request');
    done();
  });
}

app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE') return reply.code(409).send({ error: 'sku is taken' });
  if (error.statusCode !== undefined) return reply.code(error.statusCode).send({ error: error.message });
  request.log.error(error);
  return reply.code(500).send({ error: 'internal error' });
});

app.get<{ Params: { id: Key } }>(
  '/api/v1/products/:id',
  { schema: { params, response: { 200: schemas.item } } },
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
  { schema: { querystring, response: { 200: schemas.list } } },
  (request, reply) => reply.send({ data: selectPage(request.query).map(toJson) }),
);

app.post<{ Body: Product }>(
  '/api/v1/products',
  { schema: { body: schemas.createBody, response: { 201: schemas.item } } },
  (request, reply) => {
    const row = insert.get({ ...request.body, id: bare ? null : randomUUID(), at: Date.now() });
    if (row === undefined) throw new Error('the statement returned no row');
    return reply
      .code(201)
      .headers({ Location: `/api/v1/products/${row.id}`, ETag: etag(row) })
      .send(toJson(row));
  },
);

app.patch<{ Params: { id: Key }; Body: Partial<Product> }>(
  '/api/v1/products/:id',
  { schema: { params, body: schemas.patchBody, response: { 200: schemas.item } } },
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
