import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const root = path.join(import.meta.dirname, '..', '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/**/*.md'], { cwd: root }).toSorted();

/** The text of a page without code, which has no links and no headings. */
function withoutCode(page: string): string {
  return readFileSync(path.join(root, page), 'utf8')
    .replaceAll(/^(?<fence>`{3,}).*?^\k<fence>`*$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.slice(1, -1).replaceAll(/[[\]()]/g, ''));
}

/** The anchors of the headings of a page, as GitHub makes them. */
function listAnchors(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(page).matchAll(/^#{1,6} +(.*)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The problems of the links of a page. */
function listBroken(page: string): readonly string[] {
  const text = withoutCode(page);
  const links = [
    ...text.matchAll(/\]\((?<target>[^()\s]+)(?:\s+"[^"]*")?\)/g),
    ...text.matchAll(/<(?:img|source)\b[^>]*?\ssrc(?:set)?="(?<target>[^"]+)"/g),
  ];
  return links.flatMap(({ groups }) => {
    const target = groups?.['target'] ?? '';
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
    const [to = '', anchor] = target.split('#');
    const file = to === '' ? page : path.posix.normalize(path.posix.join(path.posix.dirname(page), to));
    if (!existsSync(path.join(root, file))) return [`${page}: ${target}: there is no ${file}`];
    const isKnown = anchor === undefined || !file.endsWith('.md') || listAnchors(file).has(anchor);
    return isKnown ? [] : [`${page}: ${target}: ${file} has no heading #${anchor}`];
  });
}

describe('the links of the documentation', () => {
  it('lead to files and headings that exist', () => {
    assert.ok(pages.length > 60, `${pages.length} pages`);
    assert.deepEqual(pages.flatMap(listBroken), []);
  });
});
