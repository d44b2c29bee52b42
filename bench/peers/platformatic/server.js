// Platformatic DB on the products table: its REST API with all features, without GraphQL and events. Argument: the database file.
import process from 'node:process';
import { create } from '@platformatic/db';
import pino from 'pino';

const [file] = process.argv.slice(2);
const log = pino.destination({ dest: '/dev/null', sync: false, minLength: 4096 });
const address = { hostname: '127.0.0.1', port: 0 };
const config = {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  server: address,
  db: { connectionString: `sqlite://${file}`, openapi: true, graphql: false, events: false },
  watch: false,
};
const context = {
  isEntrypoint: true,
  isProduction: true,
  logger: pino({ level: 'info' }, log),
  fastifyPlugins: [durable],
};
const server = await create(import.meta.dirname, config, context);
// By default it listens on all addresses in a container.
Object.assign(server.serverConfig, address);
process.once('SIGTERM', () => void server.stop());
await server.start({ listen: true });
process.stdout.write(`listening on ${server.url}/products\n`);

/** Makes commits durable before the response is sent. The pool has one connection. */
async function durable(app) {
  const { db, sql } = app.platformatic;
  await db.query(sql`PRAGMA synchronous = FULL`);
}
