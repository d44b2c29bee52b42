import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const TITLE = 'schema: { type: object, properties: { title: { type: string }, owner: { type: string } } }';
const SECRET = 'hs256_secret: 0123456789abcdef0123456789abcdef';
const ISSUER = `{ issuer: https://id.example.com, audience: shop, ${SECRET} }`;
const OTHER = `{ issuer: https://login.example.com, audience: shop, ${SECRET} }`;
const LINES = `schema: { type: object, properties: { order_id: { type: string, x-references: { resource: orders, on_delete: cascade } } } }`;

/** The parts of a model, and the only warning about it. */
const ROWS: readonly (readonly [title: string, model: string, warning: RegExp])[] = [
  [
    '[QRY-3] a declared sort key without an index',
    `orders: { ${TITLE}, sortable: [title] }`,
    /sortable without .*: title/,
  ],
  ['[QRY-3] a declared filter without an index', `orders: { ${TITLE}, filterable: [title] }`, /filterable .*: title/],
  [
    '[QRY-6] a search that is sorted without an index',
    `orders: { ${TITLE}, sortable: [title], search: [title] }`,
    /sortable .* with q, such a sort and filter collect all matches/,
  ],
  [
    '[LIM-1] an index of longer texts than it holds',
    `orders: { indexes: [title], schema: { type: object, properties: { title: { type: string, maxLength: 3000 } } } }`,
    /indexed with a longer maxLength than an index can hold: title/,
  ],
  [
    '[AUTH-5a] a policy that no index serves',
    `orders: { ${TITLE}, access: { rows: { read: { title: { ne: x } } } } }`,
    /no index finds the rows that access\.rows\.read shows/,
  ],
  [
    '[AUTH-5a] a unique value of hidden rows',
    `orders: { ${TITLE}, unique: [[title]], access: { rows: { read: { owner: $caller.subject } } } }`,
    /unique over rows that callers may not see.*\[title\]/,
  ],
  [
    '[CACHE-5] a public scope of a private resource',
    `orders: { ${TITLE}, cache: { max_age: 60, scope: public } }`,
    /cache declares scope: public, and its responses are private/,
  ],
  ['[ERR-2] a singular whose plural is another name', `stuff: { ${TITLE} }`, /the singular is stuff, whose plural is/],
  [
    '[AUTH-5a] a subject in a model with two issuers',
    `orders: { ${TITLE}, access: { rows: { read: { owner: $caller.subject } } } }\nISSUERS`,
    /access\.rows\..* compares \$caller\.subject, which callers of two issuers may share/,
  ],
  [
    '[AUTH-5a] a cascade past a narrower rule',
    `orders: { ${TITLE} }\n  lines: { ${LINES.replace('{ order_id', '{ owner: { type: string }, order_id')}, access: { rows: { read: { owner: $caller.subject } } } }`,
    /a deletion of orders changes rows by cascade of order_id/,
  ],
  [
    '[AUTH-8a] an audience that is not the URL of the API',
    `orders: { ${TITLE} }\npublic_url: https://shop.example.com`,
    /no audience of its issuers is https:\/\/shop\.example\.com\/api/,
  ],
  [
    '[OPS-3a] null as an allowed origin',
    `orders: { ${TITLE} }\ncors: { origins: ["null"] }`,
    /^cors\.origins\[0\]: declared, but not supported yet/,
  ],
];

describe('restwright check', () => {
  for (const [title, parts, warning] of ROWS) {
    it(`warns of ${title.replace(/^(\[\S+\]) (.*)$/, '$2 $1')}, and of nothing else`, async (context) => {
      const file = path.join(temporaryDirectory(context), 'shop.yaml');
      const issuers = parts.includes('ISSUERS') ? `${ISSUER}, ${OTHER}` : ISSUER;
      const rest = parts.replace('\nISSUERS', '');
      writeFileSync(file, `name: shop\nauth: { issuers: [${issuers}] }\nresources:\n  ${rest}\n`);
      const terminal = recordedTerminal();
      assert.equal(await run(['check', file], terminal), 0, terminal.written().stdout);
      const warnings = terminal.written().stdout.match(/^warning .*$/gm) ?? [];
      assert.equal(warnings.length, 1, warnings.join('\n'));
      assert.match(warnings[0]?.replace(/^warning (?:resources\.\w+: )?/, '') ?? '', warning);
    });
  }

  it('[VER-6b] warns of a change of behaviour without a new patch', async (context) => {
    const folder = temporaryDirectory(context);
    const [was, is] = ['was.yaml', 'is.yaml'].map((name) => path.join(folder, name));
    const model = `name: shop\nversion: 1.2.3\nresources:\n  orders: { ${TITLE}, CACHE }\n`;
    writeFileSync(was ?? '', model.replace('CACHE', 'cache: { max_age: 60 }'));
    writeFileSync(is ?? '', model.replace('CACHE', 'cache: { max_age: 90 }'));
    const terminal = recordedTerminal();
    assert.equal(await run(['check', is ?? '', '--published', was ?? ''], terminal), 0, terminal.written().stdout);
    assert.match(terminal.written().stdout, /^warning version 1\.2\.3 is too low for .*; write 1\.2\.4$/m);
  });
});
