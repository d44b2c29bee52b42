// The pages of the site: those of `docs/`, with links that work there, an index, and `llms.txt`.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../command.ts';
import { type PackedFiles, withPackedLinks } from '../packed-links.ts';
import { PAGE_GROUPS, type PageGroup } from './page-groups.ts';

/** A page of the site. */
interface SitePage {
  /** Below `docs/`, without `.md`. */
  readonly path: string;
  readonly title: string;
  /** Its first sentence in plain text; empty where it begins with something else. */
  readonly summary: string;
  readonly text: string;
}

/** A group of the index with its pages. */
export interface SiteGroup {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

/**
 * Reads the pages of `docs/` in the order of the index.
 *
 * @throws {Error} where a page is in no group, or a group names a page that does not exist
 */
export function readSite(groups: readonly PageGroup[] = PAGE_GROUPS): readonly SiteGroup[] {
  const docs = path.join(root, 'docs');
  const found = globSync('**/*.md', { cwd: docs })
    .map((file) => file.replace(/\.md$/, ''))
    .toSorted();
  const read = groups.map(({ title, pages }) => ({
    title,
    pages: pages
      .flatMap((page) => (found.includes(page) ? [page] : found.filter((each) => each.startsWith(`${page}/`))))
      .map((page) => readPage(page, readFileSync(path.join(docs, `${page}.md`), 'utf8'))),
  }));
  const listed = new Set(read.flatMap(({ pages }) => pages.map((page) => page.path)));
  const missing = found.filter((page) => !listed.has(page));
  if (missing.length > 0) throw new Error(`in no group of scripts/site/page-groups.ts: ${missing.join(', ')}`);
  const named = groups.flatMap(({ pages }) => pages);
  const unknown = named.filter((page) => !found.some((each) => each === page || each.startsWith(`${page}/`)));
  if (unknown.length > 0) throw new Error(`not in docs/: ${unknown.join(', ')}`);
  return read;
}

function readPage(page: string, text: string): SitePage {
  const [, title = page] = /^# (.*)$/m.exec(text) ?? [];
  const blocks = withoutComments(text).split(/\n{2,}/);
  const prose = blocks.slice(1).find((block) => block.trim() !== '') ?? '';
  const isProse = /^\s*[\p{L}`[]/u.test(prose);
  return { path: page, title: plainText(title), summary: isProse ? firstSentence(plainText(prose)) : '', text };
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= \p{Lu}|$)/u.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

/** The addresses of the site and of the repository. */
interface SiteAddresses {
  /** The path of the site, with a slash at its end. */
  readonly base: string;
  /** That of package.json. */
  readonly homepage: string;
}

/**
 * Writes the pages into a folder: Markdown whose links to files outside `docs/` lead to the repository.
 */
export function writeSite(groups: readonly SiteGroup[], folder: string, { homepage, base }: SiteAddresses): void {
  rmSync(folder, { recursive: true, force: true });
  const docs = path.join(root, 'docs');
  cpSync(docs, folder, { recursive: true });
  const files: PackedFiles = {
    repository: homepage.replace(/#.*$/, ''),
    isPacked: (file) => file.startsWith('docs/') && /\.(?:md|png|svg)$/.test(file),
    isFolder: (file) => statSync(path.join(root, file)).isDirectory(),
  };
  for (const { path: page, text } of groups.flatMap(({ pages }) => pages)) {
    writeFileSync(path.join(folder, `${page}.md`), withPackedLinks(withoutComments(text), `docs/${page}.md`, files));
  }
  const sidebar = groups.map(({ title, pages }) => ({
    text: title,
    collapsed: pages.length > 20,
    items: pages.map((page) => ({ text: page.title, link: `/${page.path}` })),
  }));
  writeFileSync(path.join(folder, 'sidebar.json'), JSON.stringify(sidebar, null, 2));
  writeFileSync(path.join(folder, 'index.md'), homePage(groups));
  mkdirSync(path.join(folder, 'public'), { recursive: true });
  writeFileSync(path.join(folder, 'public', 'llms.txt'), llmsText(groups, base));
}

/** The text without the comments that mark what tests run. */
function withoutComments(text: string): string {
  return text.replaceAll(/^<!--.*?-->\n+/gms, '');
}

const SUMMARY =
  'Declare resources in a file, run one command, and get an HTTP JSON API that keeps the conventions that every team writes again.';

function homePage(groups: readonly SiteGroup[]): string {
  const features = groups.map(({ title, pages }) => ({
    title,
    details: pages
      .slice(0, 4)
      .map((page) => page.title)
      .join(' · '),
    link: `/${pages[0]?.path ?? ''}`,
  }));
  const front = {
    layout: 'home',
    hero: {
      name: 'Restwright',
      text: 'An HTTP JSON API from a declaration',
      tagline: SUMMARY,
      actions: [
        { theme: 'brand', text: 'Getting started', link: '/guides/getting-started' },
        { theme: 'alt', text: 'Tour', link: '/guides/tour' },
      ],
    },
    features,
  };
  return `---\n${JSON.stringify(front, null, 2)}\n---\n`;
}

/**
 * `llms.txt` as https://llmstxt.org describes it: each page with its first sentence, and its address as Markdown. The
 * decisions, which explain how the product became what it is, are left out.
 *
 * @param base what the paths of pages follow, with a slash at its end
 */
export function llmsText(groups: readonly SiteGroup[], base: string): string {
  const sections = groups.map(({ title, pages }) => {
    const described = pages.filter((page) => !page.path.startsWith('decisions/'));
    const lines = described.map((page) => {
      const summary = page.summary === '' ? '' : `: ${page.summary}`;
      return `- [${page.title}](${base}${page.path}.md)${summary}\n`;
    });
    return `## ${title}\n\n${lines.join('')}`;
  });
  return `# Restwright\n\n> ${SUMMARY}\n\n${sections.join('\n')}`;
}
