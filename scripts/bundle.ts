// Bundles src/ into a few files for Node.js, as they are published.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import * as pageAssets from '../src/describe/page/assets.ts';
import { root } from './command.ts';
import { documentValidationCode } from './document-validation.ts';

/**
 * The files of dist/ for Node.js and their entry modules: exports of the package, its command, and the entry points of
 * its threads and workers.
 */
const ENTRIES = {
  index: 'index.ts',
  model: 'exports/model.ts',
  stores: 'exports/stores.ts',
  api: 'exports/api.ts',
  'test-api': 'exports/test-api.ts',
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

const documentValidationPlugin: Plugin = {
  name: 'document-validation',
  load: (id) =>
    id === path.join(sources, 'model', 'document', 'document-validation.ts') ? documentValidationCode() : null,
};

/** The files of the pages are part of the bundle: the published package has no others to read. */
const pageAssetsPlugin: Plugin = {
  name: 'page-assets',
  load: (id) => (id === path.join(sources, 'describe', 'page', 'assets.ts') ? pageAssetsCode() : null),
};

function pageAssetsCode(): string {
  return Object.entries(pageAssets)
    .map(([constant, text]) => `export const ${constant} = ${JSON.stringify(text)};\n`)
    .join('');
}

/**
 * Writes the exports of the package and its command in place of a folder.
 *
 * @param dist absolute path
 */
export async function bundleProgram(dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, path.join(sources, source)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    plugins: [documentValidationPlugin, pageAssetsPlugin],
  });
  // All in one folder: a module finds the files of its threads in its own folder, whichever chunk contains it
  // (`src/platform/process/worker-file.ts`).
  await bundle.write({ dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
}

/**
 * Builds a package that tests start many times: a bundle starts in a third of the processor time of the sources.
 *
 * @param folder inside of the checkout, so that the program finds the dependencies
 * @returns the path of the command
 */
export async function buildPackage(folder: string): Promise<string> {
  await bundleProgram(path.join(folder, 'dist'));
  for (const name of ['bin', 'schema']) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  // The folder has the files of the console, and not its workspace, which Deno would look for.
  const { workspaces: _workspaces, ...manifest }: Readonly<Record<string, unknown>> = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  );
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  return path.join(folder, 'bin', 'restwright.js');
}
