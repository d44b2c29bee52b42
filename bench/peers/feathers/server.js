// Feathers 5 on Koa and Knex, structured like a generated service: validated queries and data, resolvers for server-set fields.
// It does not log requests. Argument: the database file.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import process from 'node:process';
import { feathers } from '@feathersjs/feathers';
import { KnexService } from '@feathersjs/knex';
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa';
import { Ajv, getValidator, hooks, querySyntax, resolve } from '@feathersjs/schema';
import knex from 'knex';

const [filename] = process.argv.slice(2);
const database = knex({
  client: 'better-sqlite3',
  connection: { filename },
  useNullAsDefault: true,
  pool: {
    min: 1,
    max: 1,
    afterCreate(connection, done) {
      connection.pragma('journal_mode = wal');
      connection.pragma('synchronous = full');
      done(null, connection);
    },
  },
});

const writable = {
  sku: { type: 'string', minLength: 1, maxLength: 40 },
  name: { type: 'string', minLength: 1, maxLength: 200 },
  price: { type: 'number', minimum: 0 },
  category: { type: 'string', maxLength: 40 },
  stock: { type: 'integer', minimum: 0 },
  status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'] },
  description: { type: 'string', maxLength: 2000 },
};
const required = ['sku', 'name', 'price', 'category'];
const created = { $id: 'Created', type: 'object', additionalProperties: false, required, properties: writable };
const changed = { $id: 'Changed', type: 'object', additionalProperties: false, required: [], properties: writable };
const query = {
  $id: 'Query',
  type: 'object',
  additionalProperties: false,
  required: [],
  properties: querySyntax({ id: { type: 'string' }, ...writable }),
};
const data = new Ajv({});
const coerced = new Ajv({ coerceTypes: true });
const stamp = async () => Date.now();
const first = resolve({ id: async () => randomUUID(), created_at: stamp, updated_at: stamp });
const later = resolve({ updated_at: stamp });

const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());
app.use('products', new KnexService({ Model: database, name: 'products', paginate: { default: 20, max: 100 } }));
app.service('products').hooks({
  before: {
    all: [hooks.validateQuery(getValidator(query, coerced))],
    create: [hooks.validateData(getValidator(created, data)), hooks.resolveData(first)],
    patch: [hooks.validateData(getValidator(changed, data)), hooks.resolveData(later)],
  },
});

const server = await app.listen(0, '127.0.0.1');
if (!server.listening) await once(server, 'listening');
process.once('SIGTERM', () => {
  server.close(() => void database.destroy());
  server.closeAllConnections();
});
process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/products\n`);
