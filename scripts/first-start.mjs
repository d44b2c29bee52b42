// Measures the first start of a clone, from `npm start` until the server listens. JavaScript that Node 18 and later can run: it runs before
// anything is installed. `node scripts/first-start.mjs`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Seconds that a start on two processors may take, and after which it counts as stuck. */
const AIM = 30;
const TIMEOUT = 300;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-first-start-'));
const start = performance.now();
const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
const child = spawn('npm', ['start', '--silent', '--', '--port', '0', '--database', path.join(folder, 'world.db')], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'pipe'],
  shell: process.platform === 'win32',
});
const timer = setTimeout(() => child.kill('SIGTERM'), TIMEOUT * 1000);

let imports = null;
let listens = null;
child.stderr.on('data', (chunk) => {
  // The first report of an import: until then, dependencies were installed and the data was prepared.
  if (String(chunk).includes('countries:')) imports ??= seconds();
  process.stderr.write(chunk);
});
child.stdout.on('data', (chunk) => {
  if (listens !== null || !String(chunk).includes('listening on ')) return;
  listens = seconds();
  child.kill('SIGTERM');
});
child.on('close', () => {
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  if (listens === null) {
    process.stderr.write(`first start: did not listen, ended after ${seconds()} s\n`);
    process.exitCode = 1;
    return;
  }
  const verdict = Number(listens) <= AIM ? '' : `, more than the ${AIM} s that it should take on two free processors`;
  process.stdout.write(
    `first start: listening after ${listens} s, of which ${imports} s before the imports${verdict}\n`,
  );
});
