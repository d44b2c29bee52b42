import { after } from 'node:test';
import type { Model } from '../../../src/model/model.ts';
import { openPostgres, type PostgresOptions } from '../../../src/stores/postgres/postgres-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { startPostgres } from '../../postgres-server.ts';

const server = await startPostgres();
let opened = 0;

const schemas = new PostgresSchemas();

after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

/** The URL of a schema that no other test has. */
export function newSchema(): string {
  opened += 1;
  return server.url(schemas.name(String(opened)));
}

/** Opens a store in a schema of its own, with a constant clock and constant random bytes. */
export function openSample(options: Partial<PostgresOptions> = {}, model: Model = sampleModel()): Promise<Store> {
  return openPostgres({
    url: newSchema(),
    model,
    observe: () => {},
    clock: { now: () => 1 },
    random: { hex: (bytes) => '5a'.repeat(bytes) },
    ...options,
  });
}
