// `npm run build`: bundles src/ and store-suite/ into a few files in dist/, or in the folder that is named, with type
// declarations. A program of three hundred modules would spend a quarter of its start-up time finding and reading them.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { bundleProgram } from './bundle.ts';
import { bundleClient, type WEB_ENTRIES } from './client-bundle.ts';
import { root, tool } from './command.ts';

const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

await bundleProgram(dist);
for (const entry of ['client', 'webhooks'] satisfies (keyof typeof WEB_ENTRIES)[])
  writeFileSync(path.join(dist, `${entry}.js`), (await bundleClient(entry)).code);
process.exitCode = tool('tsc', ['-p', 'tsconfig.build.json', '--outDir', path.join(dist, 'types')]) ? 0 : 1;
