// What a good engineer writes by hand for one resource: Fastify, better-sqlite3, a prepared statement, an ETag. None of the conventions.
import process from 'node:process';
import Database from 'better-sqlite3';
import fastify from 'fastify';

interface City {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly country_id: string;
  readonly region_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly revision: number;
}

const [file = ''] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const select = database.prepare<[string], City>('select * from cities where id = ?');
const app = fastify();

app.get<{ Params: { id: string } }>('/api/v1/cities/:id', (request, reply) => {
  const city = select.get(request.params.id);
  if (city === undefined) return reply.code(404).send({ error: 'not found' });
  const { created_at, updated_at, ...rest } = city;
  return reply.header('ETag', `"${city.revision}"`).send({
    ...rest,
    created_at: new Date(created_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  });
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listening on ${address}/api\n`);
