import { after } from 'node:test';
import { README_PAGE, readmeOn, SMALL_TOUR } from '../scripts/tour.ts';
import { PostgresSchemas } from './postgres-schemas.ts';
import { startPostgres } from './postgres-server.ts';
import { testRequests } from './tour-pages.ts';

const postgres = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(postgres.url('public'));
  await postgres.stop();
});

testRequests(SMALL_TOUR, 'SQLite, with the cities that it finds');
testRequests(README_PAGE, 'SQLite');
testRequests(readmeOn(postgres.url(schemas.name('readme'))), 'PostgreSQL');
