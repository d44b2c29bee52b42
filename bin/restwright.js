#!/usr/bin/env node
// The command. JavaScript that Node 18 and later can run: it continues on a newer Node, which a checkout installs first.
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledNode, isRecent, passThrough, tooOld } from './bundled-node.js';

// npm links the command into `.bin`: the program is at the real path.
const file = realpathSync(fileURLToPath(import.meta.url));
const home = path.dirname(path.dirname(file));
const args = process.argv.slice(2);

// Only a checkout has this file. `npm start` does the same.
const installer = path.join(home, 'scripts', 'install.mjs');
if (existsSync(installer)) {
  const { install } = await import(pathToFileURL(installer).href);
  const code = await install(home);
  if (code !== 0) process.exit(code);
}

if (isRecent(process.versions.node)) {
  // Saves a third of the start-up time. Has no effect where the folder is read-only. Bun has its own cache, Deno 2 none.
  module.enableCompileCache?.(path.join(home, '.cache', 'compiled'));
  // A checkout runs its sources, the published package its build.
  const program = existsSync(path.join(home, 'src')) ? 'src/cli/main.ts' : 'dist/main.js';
  const { main } = await import(pathToFileURL(path.join(home, program)).href);
  await main(args);
} else {
  const node = bundledNode(home);
  if (node === undefined) {
    process.stderr.write(`${tooOld([file, ...args])}\n`);
    process.exit(2);
  }
  const { spawn } = await import('node:child_process');
  process.exit(await passThrough(spawn(node, [file, ...args], { stdio: 'inherit' })));
}
