import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { before, describe, it } from 'node:test';
import { root } from '../../scripts/command.ts';

const BASE = '/restwright/';
const built = path.join(root, 'site', 'dist');

describe('npm run docs', () => {
  /** The built pages by their path. */
  const pages = new Map<string, string>();
  before(() => {
    const args = [path.join(root, 'scripts', 'docs.ts'), '--base', BASE];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    for (const file of globSync('**/*.html', { cwd: built }))
      pages.set(file, readFileSync(path.join(built, file), 'utf8'));
  });

  it('builds a page of each file of docs/, and its Markdown', () => {
    for (const file of globSync('**/*.md', { cwd: path.join(root, 'docs') })) {
      assert.ok(pages.has(file.replace(/\.md$/, '.html')), file);
      assert.ok(existsSync(path.join(built, file)), file);
    }
    assert.ok(pages.has('index.html'));
  });

  it('has no link to a page, an anchor or a file that it does not have', () => {
    const anchors = new Map([...pages].map(([file, text]) => [file, anchorsIn(text)]));
    const broken = [...pages].flatMap(([file, text]) =>
      linksIn(text)
        .filter((link) => !leadsSomewhere(link, file, anchors))
        .map((link) => `${file}: ${link}`),
    );
    assert.deepEqual([...new Set(broken)], []);
  });

  it('shows none of the comments that mark what tests run', () => {
    for (const [file, text] of pages) assert.doesNotMatch(text, /&lt;!--/, file);
  });

  it('has a search, both colour schemes, and loads nothing from elsewhere', () => {
    const scripts = globSync('assets/chunks/*localSearchIndex*.js', { cwd: built });
    assert.ok(scripts.length > 0);
    for (const [file, text] of pages) {
      assert.match(text, /prefers-color-scheme: dark/, file);
      assert.doesNotMatch(text, /<(?:script|link|img)[^>]*(?:src|href)="https?:/, file);
    }
  });

  it('has an index for programs, whose pages exist', () => {
    const text = readFileSync(path.join(built, 'llms.txt'), 'utf8');
    const listed = [...text.matchAll(/\]\(\/restwright\/(.*?\.md)\)/g)].map(([, file = '']) => file);
    assert.ok(listed.length > 30, text);
    for (const file of listed) assert.ok(existsSync(path.join(built, file)), file);
  });
});

function anchorsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));
}

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
}

/** @param file the page with the link */
function leadsSomewhere(link: string, file: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const url = new URL(link, `http://site${BASE}${file}`);
  if (url.host !== 'site') return true;
  if (!url.pathname.startsWith(BASE)) return false;
  const target = decodeURIComponent(url.pathname.slice(BASE.length)) || 'index.html';
  if (!existsSync(path.join(built, target))) return false;
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === '' || anchors.get(target)?.has(anchor) !== false;
}
