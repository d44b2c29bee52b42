import { describe } from 'node:test';
import { openPostgres, planPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import { neighbourSuite } from '../../neighbouring-models.ts';
import { newSchema } from '../open-postgres.ts';

describe('two models on one schema of PostgreSQL', () => {
  neighbourSuite({
    create: newSchema,
    open: (url, model, options) => openPostgres({ url, model, ...options }),
    plan: (url, model, phase) => planPostgres({ url, model, phase: phase ?? null }),
    runs: 12,
  });
});
