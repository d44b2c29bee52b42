// What a good engineer writes by hand: Fastify with schemas for what comes in and goes out, better-sqlite3 with statements prepared once, a
// tag by revision, each write durable and checked. None of the conventions beside. Arguments: the database's file.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import Database from 'better-sqlite3';
import fastify from 'fastify';

interface Row {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  readonly category: string;
  readonly stock: number;
  readonly status: string;
  readonly description: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly revision: number;
}

const [file = ''] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');

const select = database.prepare<[string], Row>('select * from products where id = ?');
const page = database.prepare<[number, number], Row>('select * from products order by id limit ? offset ?');
const filtered = database.prepare<[string, number, number], Row>(
  'select * from products where category = ? order by price, id limit ? offset ?',
);
const insert = database.prepare(`insert into products values
  (@id, @sku, @name, @price, @category, @stock, @status, @description, @at, @at, 1)`);
const update = database.prepare(`update products set name = coalesce(@name, name), price = coalesce(@price, price),
  stock = coalesce(@stock, stock), updated_at = @at, revision = revision + 1 where id = @id`);

const writable = {
  sku: { type: 'string', minLength: 1, maxLength: 40 },
  name: { type: 'string', minLength: 1, maxLength: 200 },
  price: { type: 'number', minimum: 0 },
  category: { type: 'string', maxLength: 40 },
  stock: { type: 'integer', minimum: 0, default: 0 },
  status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'], default: 'DRAFT' },
  description: { type: 'string', maxLength: 2000, nullable: true, default: null },
};
const shown = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    ...writable,
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
    revision: { type: 'integer' },
  },
};
const list = { type: 'object', properties: { data: { type: 'array', items: shown } } };
const query = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    offset: { type: 'integer', minimum: 0, default: 0 },
    category: { type: 'string' },
    sort: { type: 'string', enum: ['price'] },
  },
};
const params = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } };

function show({ created_at, updated_at, ...row }: Row): object {
  return { ...row, created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() };
}

// Each request is logged, as in production; what is measured is the writing, not the terminal.
const app = fastify({ logger: { file: '/dev/null' } });

app.get<{ Params: { id: string } }>(
  '/api/v1/products/:id',
  { schema: { params, response: { 200: shown } } },
  (request, reply) => {
    const row = select.get(request.params.id);
    if (row === undefined) return reply.code(404).send({ error: 'not found' });
    const tag = `"${row.revision}"`;
    reply.header('ETag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.send(show(row));
  },
);

app.get<{ Querystring: { limit: number; offset: number; category?: string } }>(
  '/api/v1/products',
  { schema: { querystring: query, response: { 200: list } } },
  (request, reply) => {
    const { limit, offset, category } = request.query;
    const rows = category === undefined ? page.all(limit, offset) : filtered.all(category, limit, offset);
    return reply.send({ data: rows.map(show) });
  },
);

app.post<{ Body: Omit<Row, 'id'> }>(
  '/api/v1/products',
  {
    schema: {
      body: { type: 'object', required: ['sku', 'name', 'price', 'category'], properties: writable },
      response: { 201: shown },
    },
  },
  (request, reply) => {
    const id = randomUUID();
    insert.run({ ...request.body, id, at: Date.now() });
    const row = select.get(id);
    if (row === undefined) throw new Error('the row is lost');
    return reply.code(201).header('Location', `/api/v1/products/${id}`).send(show(row));
  },
);

app.patch<{ Params: { id: string }; Body: Partial<Row> }>(
  '/api/v1/products/:id',
  { schema: { params, body: { type: 'object', properties: writable }, response: { 200: shown } } },
  (request, reply) => {
    const { id } = request.params;
    const { name = null, price = null, stock = null } = request.body;
    if (update.run({ id, name, price, stock, at: Date.now() }).changes === 0) {
      return reply.code(404).send({ error: 'not found' });
    }
    const row = select.get(id);
    if (row === undefined) throw new Error('the row is lost');
    return reply.header('ETag', `"${row.revision}"`).send(show(row));
  },
);

const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listening on ${address}/api\n`);
