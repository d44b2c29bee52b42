import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const pages = new URL('../.cache/pages/', import.meta.url);
const { homepage } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const repository = homepage.replace(/#.*$/, '');

/** The anchor of a heading as on GitHub, where the pages are read, too. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');
}

export default defineConfig({
  title: 'Restwright',
  description: 'Declare resources, run one command, get an HTTP JSON API that keeps every convention.',
  lang: 'en',
  srcDir: '.cache/pages',
  outDir: 'dist',
  cacheDir: '.cache/vitepress',
  cleanUrls: false,
  // The pages are Markdown for GitHub: what looks like a tag is text.
  markdown: { html: false, anchor: { slugify } },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: JSON.parse(readFileSync(new URL('sidebar.json', pages), 'utf8')),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
