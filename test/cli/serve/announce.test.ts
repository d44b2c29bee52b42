import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeServed } from '../../../src/cli/serve/announce.ts';
import { localAddress } from '../../../src/cli/serve/address.ts';
import { logStyle } from '../../../src/cli/serve/server-log.ts';
import type { ServedSummary } from '../../../src/cli/serve/served-summary.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const SERVED: ServedSummary = {
  name: 'world',
  title: 'Countries and cities',
  version: '1.2.0',
  database: '/data/world.db',
  hasConsole: false,
  collections: [
    { name: 'countries', rows: 1 },
    { name: 'cities', rows: 171_075 },
  ],
  further: 0,
  example: 'http://127.0.0.1:3000/api/v1/countries?limit=1',
};
const URL = 'http://127.0.0.1:3000/api';

describe('the summary of what is served', () => {
  it('has the collections with their rows, the URL, the database and a request to try', () => {
    assert.equal(
      describeServed(URL, SERVED, false),
      `
world 1.2.0  Countries and cities
  countries        1 row
  cities     171,075 rows

  API       http://127.0.0.1:3000/api
  Docs      http://127.0.0.1:3000/docs
  Database  /data/world.db
  Try       curl "http://127.0.0.1:3000/api/v1/countries?limit=1"

`,
    );
  });

  it('counts the collections that it does not show, and suggests no request where there is no collection', () => {
    const text = describeServed(URL, { ...SERVED, title: 'world', further: 988, example: null }, false);
    assert.match(text, /^world 1\.2\.0$/m);
    assert.match(text, /^ {2}and 988 more collections$/m);
    assert.doesNotMatch(text, /Try/);
  });

  it('has colours only where it is asked to', () => {
    assert.equal(describeServed(URL, SERVED, false).includes('\u001b'), false);
    assert.equal(describeServed(URL, SERVED, true).includes('\u001b[1mworld 1.2.0'), true);
  });
});

describe('the log of a server', () => {
  const style = (isTTY: boolean, flags: { readonly log?: 'json' | 'text'; readonly dev?: boolean } = {}, env = {}) => {
    const terminal = recordedTerminal(env);
    return logStyle({ log: null, dev: false, ...flags }, { ...terminal, stderr: { ...terminal.stderr, isTTY } });
  };

  it('[OPS-2d] is readable on a terminal and JSON elsewhere', () => {
    assert.deepEqual(style(true), { format: 'readable', colours: true });
    assert.deepEqual(style(false), { format: 'json', colours: false });
    assert.deepEqual(style(false, { dev: true }), { format: 'readable', colours: false });
  });

  it('[OPS-2d] is what --log says', () => {
    assert.equal(style(true, { log: 'json' }).format, 'json');
    assert.deepEqual(style(false, { log: 'text' }), { format: 'readable', colours: false });
    assert.equal(style(false, { log: 'json', dev: true }).format, 'json');
  });

  it('[OPS-2d] has no colours under NO_COLOR', () => {
    assert.deepEqual(style(true, {}, { NO_COLOR: '1' }), { format: 'readable', colours: false });
    assert.deepEqual(style(true, {}, { NO_COLOR: '' }), { format: 'readable', colours: true });
  });
});

describe('the local address of a server', () => {
  it('is the loopback address where the server listens on all addresses', () => {
    assert.deepEqual(['0.0.0.0', '::', '127.0.0.2', 'localhost'].map(localAddress), [
      '127.0.0.1',
      '::1',
      '127.0.0.2',
      'localhost',
    ]);
  });
});
