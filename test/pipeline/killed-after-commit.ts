// `killed-after-commit.ts <database> [kill]` serves the shop from a SQLite file and writes its port to standard output. With `kill` the
// process ends at once, and says nothing more to anybody, when the first write under an Idempotency-Key is on disk.
import process from 'node:process';
import { createApi } from '../../src/api.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { loadModel } from '../../src/model/load-model.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { digest } from '../../src/platform/digest.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createRandom } from '../../src/platform/random.ts';
import { openSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { replacing } from './replacing.ts';
import { SHOP } from './shop-model.ts';

/** A store that takes the process along once it has committed a unit that remembers something. */
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
const { model } = loadModel({ file: 'model.yaml', text: SHOP, env: {}, digest });
const random = createRandom();
const observe = (): void => undefined;
const store = await openSqlite({ path, model, observe, clock, random });
const api = await createApi({
  model,
  store: moment === 'kill' ? killing(store) : store,
  clock,
  ids: createIds({ clock, random }),
  random,
  observe,
  allowAnyHost: false,
  origin: () => 'http://127.0.0.1',
});
const server = await serveHttp({
  handler: api,
  limits: model.limits,
  observe,
  overloaded: () => false,
  host: '127.0.0.1',
  port: 0,
});
process.stdout.write(`${server.port}\n`);
