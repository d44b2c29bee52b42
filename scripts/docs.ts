// `npm run docs`: builds the site of the documentation in site/dist. `-- --base /path/` sets where it will be served.
import { cpSync, existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root, run } from './command.ts';
import { readSite, writeSite } from './site/site-pages.ts';

const { base } = parseArgs({ options: { base: { type: 'string', default: '/' } } }).values;
const site = path.join(root, 'site');
const pages = path.join(site, '.cache', 'pages');
const built = path.join(site, 'dist');

const { homepage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const groups = readSite();
writeSite(groups, pages, { base, homepage: String(homepage) });
const count = groups.reduce((sum, group) => sum + group.pages.length, 0);
process.stdout.write(`${count} pages\n`);
if (!isInstalled()) {
  process.stdout.write('installing the generator of the site (once, about 20 s) ...\n');
  if (!run('npm', ['ci'], site)) throw new Error('the generator of the site could not be installed');
}
const vitepress = path.join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
if (!run(process.execPath, [vitepress, 'build', '--base', base], site)) throw new Error('the site could not be built');
// Next to each page its Markdown, for programs: llms.txt lists it.
for (const file of globSync('**/*.md', { cwd: pages })) {
  if (file !== 'index.md') cpSync(path.join(pages, file), path.join(built, file));
}
process.stdout.write(`${built}: static files, for any host\n`);

/** Checks if the installed packages are those of the lockfile. */
function isInstalled(): boolean {
  const installed = path.join(site, 'node_modules', '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(path.join(site, 'package-lock.json')).mtimeMs;
}
