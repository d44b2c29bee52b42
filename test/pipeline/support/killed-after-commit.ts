// `killed-after-commit.ts <database> [kill]` serves the shop from a SQLite file and writes its port to standard output.
// With `kill` the process exits immediately, without a response, when the first write with an Idempotency-Key is on
// disk.
import process from 'node:process';
import { createApi } from '../../../src/api.ts';
import { serveHttp } from '../../../src/http/serve-http.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { openSqlite } from '../../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { replacing } from './replacing.ts';
import { SHOP } from '../models/shop-model.ts';

/** A store that kills the process after it has committed a unit with an idempotency record. */
function killing(store: Store): Store {
  return replacing(store, {
    async commit(unit, deadline) {
      const outcome = await store.writes.commit(unit, deadline);
      if (outcome.kind === 'committed' && unit.records !== undefined && unit.records.length > 0) {
        process.kill(process.pid, 'SIGKILL');
      }
      return outcome;
    },
  });
}

const [path = '', moment] = process.argv.slice(2);
const { model } = loadModel({ text: SHOP });
const store = await openSqlite({ path, model });
const api = await createApi({ model, store: moment === 'kill' ? killing(store) : store });
const server = await serveHttp({ api, port: 0 });
process.stdout.write(`${server.port}\n`);
