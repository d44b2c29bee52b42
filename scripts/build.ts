// `npm run build`: bundles src/ and store-suite/ into a few files in dist/, or in the folder that is named, with type declarations. A program of three
// hundred modules would spend a quarter of its start-up time finding and reading them.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type Plugin, rolldown } from 'rolldown';
import { bundleClient, type WEB_ENTRIES } from './client-bundle.ts';
import { root, tool } from './command.ts';
import { documentValidationCode } from './document-validation.ts';

/** The files of dist/ for Node.js and their entry modules: exports of the package, its command, and the entry points of its threads and workers. */
const ENTRIES = {
  index: 'index.ts',
  model: 'exports/model.ts',
  stores: 'exports/stores.ts',
  api: 'exports/api.ts',
  fetch: 'http/fetch.ts',
  fastify: 'http/fastify.ts',
  opentelemetry: 'observe/open-telemetry.ts',
  testing: '../store-suite/index.ts',
  main: 'cli/main.ts',
  'worker-entry': 'cli/workers/worker-entry.ts',
  'checkpoint-thread': 'stores/sqlite/commit/checkpoint-thread.ts',
  'read-thread-entry': 'stores/sqlite/read-pool/read-thread-entry.ts',
};

const sources = path.join(root, 'src');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
const pages = path.join(sources, 'describe', 'page');

const documentValidationPlugin: Plugin = {
  name: 'document-validation',
  load: (id) =>
    id === path.join(sources, 'model', 'document', 'document-validation.ts') ? documentValidationCode() : null,
};

/** The files of the pages are part of the bundle: the published package has no others to read. */
const pageAssetsPlugin: Plugin = {
  name: 'page-assets',
  load: (id) => (id === path.join(pages, 'assets.ts') ? pageAssetsCode() : null),
};

function pageAssetsCode(): string {
  const text = (name: string): string => JSON.stringify(readFileSync(path.join(pages, name), 'utf8'));
  const files = { STYLE: 'page.css', FORM_SCRIPT: 'request-form.js', DOCS_STYLE: 'docs.css', DOCS_SCRIPT: 'docs.js' };
  return Object.entries(files)
    .map(([constant, name]) => `export const ${constant} = ${text(name)};\n`)
    .join('');
}

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, path.join(sources, source)])),
  platform: 'node',
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  plugins: [documentValidationPlugin, pageAssetsPlugin],
});
// All in one folder: a module finds the files of its threads in its own folder (`src/platform/worker-file.ts`), whichever chunk contains it.
await bundle.write({ dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
for (const entry of ['client', 'webhooks'] satisfies (keyof typeof WEB_ENTRIES)[])
  writeFileSync(path.join(dist, `${entry}.js`), (await bundleClient(entry)).code);
process.exitCode = tool('tsc', ['-p', 'tsconfig.build.json', '--outDir', path.join(dist, 'types')]) ? 0 : 1;
