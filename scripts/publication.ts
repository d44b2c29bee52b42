// `node scripts/run.mjs scripts/publication.ts`: writes into the pages how to get and run the command, as src/cli/publication.ts says.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { IS_PUBLISHED, RUN_COMMAND } from '../src/cli/publication.ts';
import { root } from './command.ts';

const INSTALLED = `\`\`\`sh
npm install restwright
npx restwright serve shop.yaml
\`\`\``;

const FROM_TARBALL = `The package is not in the npm registry yet. In a checkout, \`restwright\` stands for \`bin/restwright.js\`: its first run installs what it needs, with any
Node.js from 18 on. A project of your own installs the tarball that the checkout packs, and needs Node.js 24 or later:

\`\`\`sh
tarball=$(npm run --silent pack)   # in the checkout: prints the path of the tarball
npm install "$tarball"             # in your project
node_modules/.bin/restwright serve shop.yaml
\`\`\``;

/** The generated sections of the pages, by page. */
export const SECTIONS: Readonly<Record<string, string>> = {
  'README.md': `\`\`\`sh
${RUN_COMMAND} serve shop.yaml
# listening on http://127.0.0.1:3000/api
\`\`\``,
  'docs/guides/getting-started.md': IS_PUBLISHED ? INSTALLED : FROM_TARBALL,
};

const SECTION = /(<!-- command -->\n\n)[^]*?(\n\n<!-- end of command -->)/;

/**
 * The page with its generated section.
 *
 * @throws {Error} where it has none
 */
export function withSection(page: string, section: string): string {
  if (!SECTION.test(page))
    throw new Error('the page has no section between <!-- command --> and <!-- end of command -->');
  return page.replace(SECTION, (_, before: string, after: string) => `${before}${section}${after}`);
}

if (import.meta.main) {
  for (const [name, section] of Object.entries(SECTIONS)) {
    const file = path.join(root, name);
    writeFileSync(file, withSection(readFileSync(file, 'utf8'), section));
  }
}
