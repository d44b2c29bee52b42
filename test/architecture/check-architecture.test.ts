import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkArchitecture } from './check-architecture.ts';

type Files = Readonly<Record<string, string>>;

/** `file:line rule` of every finding, in the order of files and lines. */
function found(files: Files): readonly string[] {
  const findings = checkArchitecture({ files, dependencies: new Set(['yaml', '@clack/prompts']) });
  return findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

const long = (lines: number) => 'x;\n'.repeat(lines);

/** Title, files, and every finding in them. */
const violations: readonly (readonly [title: string, files: Files, findings: readonly string[]])[] = [
  [
    'an import of a higher layer',
    { 'src/model/a.ts': "import { x } from '../stores/b.ts';" },
    ['src/model/a.ts:1 layers'],
  ],
  [
    'a type-only import of a higher layer',
    { 'src/plan/a.ts': "\nimport type { X } from '../api.ts';" },
    ['src/plan/a.ts:2 layers'],
  ],
  ['a re-export', { 'src/plan/a.ts': "export * from '../http/b.ts';" }, ['src/plan/a.ts:1 layers']],
  ['a named re-export', { 'src/plan/a.ts': "export { b } from '../http/b.ts';" }, ['src/plan/a.ts:1 layers']],
  ['an import()', { 'src/plan/a.ts': "await import('../http/b.ts');" }, ['src/plan/a.ts:1 layers']],
  ['an import type', { 'src/plan/a.ts': "export type A = import('../http/b.ts').B;" }, ['src/plan/a.ts:1 layers']],
  [
    'a worker of a higher layer',
    { 'src/plan/a.ts': "new Worker(new URL('../stores/w.ts', import.meta.url));" },
    ['src/plan/a.ts:1 layers'],
  ],
  [
    'a later folder of the same layer',
    { 'src/observe/a.ts': "import '../conformance/b.ts';" },
    ['src/observe/a.ts:1 layers'],
  ],
  [
    'platform in conventions',
    { 'src/conventions/a.ts': "import '../platform/clock.ts';" },
    ['src/conventions/a.ts:1 layers'],
  ],
  [
    'server code in conformance',
    { 'src/conformance/a.ts': "import '../conventions/url.ts';" },
    ['src/conformance/a.ts:1 layers'],
  ],
  ['the pipeline in a store', { 'src/pipeline/a.ts': "import '../stores/sql/b.ts';" }, ['src/pipeline/a.ts:1 layers']],
  ['model internals in http', { 'src/http/a.ts': "import '../model/compile.ts';" }, ['src/http/a.ts:1 layers']],
  ['an import from outside src/', { 'src/cli/a.ts': "import '../../scripts/b.ts';" }, ['src/cli/a.ts:1 layers']],
  [
    'an implementation of a store in the suite for stores, and the suite in src/',
    {
      'store-suite/a.ts': "import '../src/stores/sql/b.ts';\nimport '../src/stores/store.ts';\nimport './c.ts';",
      'src/cli/a.ts': "import '../../store-suite/a.ts';",
    },
    ['src/cli/a.ts:1 layers', 'store-suite/a.ts:1 layers'],
  ],
  ['an unknown folder', { 'src/services/a.ts': '' }, ['src/services/a.ts:1 folders']],
  ['an unknown file', { 'src/main.ts': '' }, ['src/main.ts:1 folders']],
  [
    'a cycle, including type-only imports',
    {
      'src/plan/a.ts': "\nimport type { B } from './b.ts';",
      'src/plan/b.ts': "import { C } from './c.ts';",
      'src/plan/c.ts': "import { A } from './a.ts';",
    },
    ['src/plan/a.ts:2 cycles'],
  ],
  ['a file importing itself', { 'src/plan/a.ts': "import './a.ts';" }, ['src/plan/a.ts:1 cycles']],
  [
    'two cycles',
    {
      'src/plan/a.ts': "import './b.ts';",
      'src/plan/b.ts': "import './a.ts';",
      'src/model/a.ts': "import './b.ts';",
      'src/model/b.ts': "import './a.ts';",
    },
    ['src/model/a.ts:1 cycles', 'src/plan/a.ts:1 cycles'],
  ],
  [
    'a library that two files import',
    {
      'src/cli/a.ts': "import { intro } from '@clack/prompts';",
      'src/cli/b.ts': "import type { Option } from '@clack/prompts/sub.js';",
    },
    ['src/cli/b.ts:1 libraries'],
  ],
  ['a library that is not a dependency', { 'src/cli/a.ts': "import 'fast-check';" }, ['src/cli/a.ts:1 libraries']],
  [
    'Node in conventions',
    { 'src/conventions/a.ts': "import path from 'node:path';" },
    ['src/conventions/a.ts:1 modules'],
  ],
  ['a Node module without its prefix', { 'src/cli/a.ts': "import 'fs';" }, ['src/cli/a.ts:1 modules']],
  ['a server in the pipeline', { 'src/pipeline/a.ts': "import 'node:http';" }, ['src/pipeline/a.ts:1 modules']],
  [
    'a server in the model',
    { 'src/model/a.ts': "import type { Server } from 'node:http2';" },
    ['src/model/a.ts:1 modules'],
  ],
  ['Node in the client', { 'src/client/a.ts': "import 'node:buffer';" }, ['src/client/a.ts:1 modules']],
  [
    'Node behind what the client imports',
    { 'src/client/a.ts': "import '../model/b.ts';", 'src/model/b.ts': "import 'node:crypto';" },
    ['src/client/a.ts:1 modules'],
  ],
  ['the clock', { 'src/plan/a.ts': 'const now = Date.now();' }, ['src/plan/a.ts:1 clock']],
  [
    'the clock by other functions',
    { 'src/plan/a.ts': 'new Date();\nDate();\nperformance.now();' },
    ['1', '2', '3'].map((n) => `src/plan/a.ts:${n} clock`),
  ],
  ['a destructured clock function', { 'src/plan/a.ts': 'const { now } = Date;' }, ['src/plan/a.ts:1 clock']],
  [
    'random numbers',
    { 'src/stores/a.ts': 'Math.random();\ncrypto.randomUUID();' },
    ['src/stores/a.ts:1 clock', 'src/stores/a.ts:2 clock'],
  ],
  [
    'imported random functions',
    { 'src/stores/a.ts': "import { randomBytes as r } from 'node:crypto';" },
    ['src/stores/a.ts:1 clock'],
  ],
  ['the environment', { 'src/http/a.ts': "process.env['PORT'];" }, ['src/http/a.ts:1 environment']],
  ['imported arguments', { 'src/api.ts': "import { argv } from 'node:process';" }, ['src/api.ts:1 environment']],
  ['a destructured environment', { 'src/http/a.ts': 'const { env } = process;' }, ['src/http/a.ts:1 environment']],
  [
    'I/O in conventions',
    { 'src/conventions/a.ts': "fetch('/');\nsetTimeout(go, 1);" },
    ['src/conventions/a.ts:1 pure', 'src/conventions/a.ts:2 pure'],
  ],
  [
    'a global as a value',
    { 'src/conventions/a.ts': 'export const all = { process };' },
    ['src/conventions/a.ts:1 pure'],
  ],
  [
    'a type of Node in conventions',
    { 'src/conventions/a.ts': 'export type Bytes = Buffer;' },
    ['src/conventions/a.ts:1 pure'],
  ],
  [
    'the row reader of a store in the pipeline',
    { 'src/pipeline/write/a.ts': "import type { Writer, RowReader } from '../../stores/store.ts';" },
    ['src/pipeline/write/a.ts:1 rows'],
  ],
  [
    'a whole store below the pipeline',
    { 'src/pipeline/a.ts': "import type { Store } from '../stores/store.ts';" },
    ['src/pipeline/a.ts:1 rows'],
  ],
  [
    'the store contract under another name',
    {
      'src/pipeline/a.ts':
        "import type * as store from '../stores/store.ts';\ntype A = import('../stores/store.ts').RowReader;",
    },
    ['src/pipeline/a.ts:1 rows', 'src/pipeline/a.ts:2 rows'],
  ],
  [
    'the source of visible rows',
    { 'src/pipeline/read/a.ts': "import { type RowSource, VisibleRows } from './visible-rows.ts';" },
    ['src/pipeline/read/a.ts:1 rows'],
  ],
  [
    'the rows of a store in the pipeline',
    { 'src/pipeline/pipeline.ts': 'options.store.rows.item(plan);\nconst { rows } = store;' },
    ['src/pipeline/pipeline.ts:1 rows', 'src/pipeline/pipeline.ts:2 rows'],
  ],
  [
    'rows without visibility, or behind it',
    {
      'src/pipeline/a.ts': 'request.rows.unrestricted();\nVisibleRows.unrestricted(store);\nrequest.rows.over(stage);',
    },
    ['1', '2', '3'].map((line) => `src/pipeline/a.ts:${line} rows`),
  ],
  ['SQL outside stores', { 'src/pipeline/a.ts': "const q = 'SELECT id FROM products';" }, ['src/pipeline/a.ts:1 sql']],
  ['SQL in a template', { 'src/events/a.ts': 'const q = `\n  delete from ${t}`;' }, ['src/events/a.ts:1 sql']],
  [
    'HTTP words in a store',
    { 'src/stores/a.ts': 'interface Row { statusCode: number }\nconst header = 1;' },
    ['src/stores/a.ts:1 http', 'src/stores/a.ts:2 http'],
  ],
  [
    'an API error in a store',
    { 'src/stores/a.ts': "import { refusal } from '../conventions/errors.ts';" },
    ['src/stores/a.ts:1 http'],
  ],
  ['a syntax error', { 'src/plan/a.ts': 'const =' }, ['src/plan/a.ts:1 syntax']],
  [
    'any',
    { 'src/plan/a.ts': 'declare const a: any;', 'test/a.test.ts': 'let b: any[];' },
    ['src/plan/a.ts:1 any', 'test/a.test.ts:1 any'],
  ],
  [
    'a suppressed check',
    { 'test/a.test.ts': '\n// @ts-expect-error because\n/* oxlint-disable x */' },
    ['test/a.test.ts:2 suppression', 'test/a.test.ts:3 suppression'],
  ],
  [
    'variables of a module',
    { 'src/plan/a.ts': 'let a = 1;\nexport let b: B | null = null;\nvar { c } = d;' },
    ['1', '2', '3'].map((line) => `src/plan/a.ts:${line} state`),
  ],
  [
    'collections and objects of a module that are changed in place',
    {
      'src/plan/a.ts':
        'const a = new Map();\nconst b = [];\nconst c = {};\nconst d = { n: 0 };\nconst e = { f: [] };\n' +
        'const use = () => { a.set(1, 2); b.push(1); c[1] = 2; d.n += 1; d.n++; e.f.push(1); };',
    },
    ['1', '2', '3', '4', '5'].map((line) => `src/plan/a.ts:${line} state`),
  ],
  [
    'instances and caches of a module',
    {
      'src/plan/a.ts':
        'const a = new WeakMap();\nexport const b = new ItemCache();\nconst c = createCache({ maxWeight: 1 });',
    },
    ['1', '2', '3'].map((line) => `src/plan/a.ts:${line} state`),
  ],
  [
    'static members that can change',
    { 'src/plan/a.ts': 'class A {\n  static count = 0;\n  static readonly max = 1;\n}' },
    ['src/plan/a.ts:2 state'],
  ],
  ['a long file', { 'src/plan/a.ts': long(301) }, ['src/plan/a.ts:301 size']],
  ['a long parameter list', { 'src/plan/a.ts': 'const f = (a, b, c, d, e) => a;' }, ['src/plan/a.ts:1 size']],
  [
    'a type name with two meanings',
    { 'src/plan/a.ts': 'interface Place {}', 'src/stores/b.ts': '\ntype Place = 1;' },
    ['src/stores/b.ts:2 names'],
  ],
  ['a long function', { 'src/plan/a.ts': `\nconst f = () => {\n${long(39)}};` }, ['src/plan/a.ts:2 size']],
  [
    'names that fit any file',
    { 'src/plan/utils.ts': '', 'src/model/helpers/a.ts': '' },
    ['src/model/helpers/a.ts:1 names', 'src/plan/utils.ts:1 names'],
  ],
  [
    'names that are not kebab-case',
    { 'src/plan/ReadPlan.ts': '', 'test/a_b.test.ts': '' },
    ['src/plan/ReadPlan.ts:1 names', 'test/a_b.test.ts:1 names'],
  ],
  [
    'banned words in comments, messages, identifiers and pages',
    {
      'src/plan/a.ts': '// Told at once.\nconst toldItems = `asked for ${toldItems}`;',
      'docs/guides/a.md': '# What nobody needs',
      'README.md': 'It goes on\nwhoever asks.',
    },
    [
      'docs/guides/a.md:1 words',
      'README.md:2 words',
      'src/plan/a.ts:1 words',
      'src/plan/a.ts:1 words',
      'src/plan/a.ts:2 words',
      'src/plan/a.ts:2 words',
      'src/plan/a.ts:2 words',
    ],
  ],
  ['an unknown entry of docs', { 'docs/notes.md': '' }, ['docs/notes.md:1 docs']],
  [
    'a path in the architecture page that does not exist',
    { 'docs/architecture.md': '`plan/a.ts`\n`plan/` and `plan/b.ts`', 'src/plan/a.ts': '' },
    ['docs/architecture.md:2 paths'],
  ],
  ['a decision without a number', { 'docs/decisions/use-sqlite.md': '' }, ['docs/decisions/use-sqlite.md:1 docs']],
];

/** Files without findings. */
const permitted: readonly (readonly [title: string, files: Files])[] = [
  [
    'imports of lower layers and of earlier folders',
    { 'src/formats/a.ts': "import '../model/b.ts';\nimport '../conventions/c.ts';" },
  ],
  ['imports within a folder, in both directions', { 'src/stores/sql/a.ts': "import '../store.ts';\nimport './b.ts';" }],
  [
    'the store contract in the pipeline',
    {
      'src/pipeline/pipeline.ts': "import type { Store } from '../stores/store.ts';\noptions.store.ping();",
      'src/pipeline/a.ts': "import { type Writer, StoreUnavailable } from '../stores/store.ts';",
    },
  ],
  [
    'rows through VisibleRows in the pipeline, and the rows of a store outside it',
    {
      'src/pipeline/a.ts':
        "import type { VisibleRows } from './read/visible-rows.ts';\nrequest.rows.list(plan);\npage.rows.map(f);",
      'src/events/a.ts': "import type { Store } from '../stores/store.ts';\nstore.rows.list(plan);",
    },
  ],
  [
    'a diamond of imports',
    { 'src/plan/a.ts': "import './b.ts';\nimport './c.ts';", 'src/plan/b.ts': "import './c.ts';", 'src/plan/c.ts': '' },
  ],
  [
    'types from a room that uses Node, in the client',
    { 'src/client/a.ts': "import type { B } from '../model/b.ts';", 'src/model/b.ts': "import 'node:crypto';" },
  ],
  [
    'a library in one file, and in tests',
    { 'src/cli/a.ts': "import 'yaml';\nimport 'yaml/sub';", 'test/a.test.ts': "import 'yaml';" },
  ],
  [
    'the clock in platform and cli',
    { 'src/platform/a.ts': 'Date.now(); Math.random();', 'src/cli/a.ts': 'new Date();' },
  ],
  [
    'a Date of a given instant',
    { 'src/plan/a.ts': 'new Date(clock.now());\nDate.parse(text);\nconst { date } = row;' },
  ],
  ['arguments in cli and index', { 'src/cli/a.ts': 'process.argv;', 'src/index.ts': 'process.env;' }],
  [
    'local names that are also globals',
    {
      'src/conventions/a.ts':
        'export const f = (fetch: F, { process }: P) => fetch(process).crypto;\nconst o = { performance: 1 };',
    },
  ],
  [
    'constants of a module, memoized functions and state of functions and instances',
    {
      'src/plan/a.ts':
        'const A = new Set([1]);\nconst B = /a/y;\nconst c = memoize((d) => d);\nconst e = lazy(() => new Map());\n' +
        'export const f = () => { let g = 0; const h = []; B.lastIndex = g; h.push(g); return h; };\n' +
        'class I { #count = 0; next() { this.#count += 1; } }',
    },
  ],
  ['state in cache/', { 'src/cache/a.ts': 'let last = null;\nconst entries = new WeakMap();' }],
  ['prose that resembles SQL', { 'src/cli/a.ts': "'update the model and set it; deletes from there'.length;" }],
  ['a term of HTTP within a word', { 'src/stores/a.ts': 'interface Row { statuses: number; etagged: boolean }' }],
  ['any as a name', { 'src/plan/a.ts': "const any = 'any';" }],
  ['short files and functions', { 'src/plan/a.ts': `const f = () => {\n${long(38)}};\n` }],
  ['a long function in a test suite', { 'store-suite/a.ts': `const f = () => {\n${long(90)}};\n` }],
  [
    'banned words within words, in inline code, in tests and in the specification',
    {
      'src/plan/a.ts': 'const defaults = { stellar: 1, retold: 2 };',
      'CHANGELOG.md': '`toldItems` is now `ItemCache`.',
      'test/a.test.ts': "const told = 'told';",
      'docs/specification/contract.md': 'Nobody is told.',
    },
  ],
  [
    'known entries of docs',
    { 'docs/specification/contract.md': '', 'docs/decisions/0001-use-sqlite.md': '', 'docs/errors.md': '' },
  ],
];

describe('the architecture check', () => {
  for (const [title, files, findings] of violations)
    it(`finds ${title}`, () => assert.deepEqual(found(files), findings));
  for (const [title, files] of permitted) it(`permits ${title}`, () => assert.deepEqual(found(files), []));

  it('reports the path of a cycle and the path to a Node module', () => {
    const files = {
      'src/client/a.ts': "import './b.ts';",
      'src/client/b.ts': "import './a.ts';\nimport '../model/c.ts';",
      'src/model/c.ts': "import 'node:fs';",
    };
    const messages = checkArchitecture({ files, dependencies: new Set() }).map(({ message }) => message);
    assert.deepEqual(messages, [
      'import cycle src/client/a.ts -> src/client/b.ts -> src/client/a.ts: move the shared part into a lower file',
      'reaches node:fs through src/client/a.ts -> src/client/b.ts -> src/model/c.ts: import only types, or move the pure part out',
      'reaches node:fs through src/client/b.ts -> src/model/c.ts: import only types, or move the pure part out',
    ]);
  });
});
