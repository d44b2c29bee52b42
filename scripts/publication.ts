// `node scripts/run.mjs scripts/publication.ts`: writes into the pages how to get and run the command, as
// src/cli/publication.ts says.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { IS_PUBLISHED, RUN_COMMAND } from '../src/cli/publication.ts';
import { root } from './command.ts';

const INSTALLED = `\`\`\`sh
npm install restwright
npx restwright serve shop.yaml
\`\`\``;

const FROM_TARBALL = `The package is not in the npm registry yet. In a checkout, \`restwright\` stands for \`bin/restwright.js\`: its first run installs what it needs, with any
Node.js from 18 on. In the folder of the checkout, \`alias restwright="$PWD/bin/restwright.js"\` makes it a command of your shell for every folder. A project of your own installs the tarball that the checkout packs, and needs Node.js 24 or later:

\`\`\`sh
tarball=$(npm run --silent pack)   # in the checkout: prints the path of the tarball
npm install "$tarball"             # in your project
node_modules/.bin/restwright serve shop.yaml
\`\`\``;

const NOT_PUBLISHED =
  'The package is not in the npm registry yet: `npm run pack` in a checkout makes the tarball that a project installs. Node.js 24 or later.';

/** The generated sections of the pages: by page, then by the name in their markers. */
export const SECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    command: `\`\`\`sh
${RUN_COMMAND} serve shop.yaml
# listening on http://127.0.0.1:3000/api
\`\`\``,
    package: IS_PUBLISHED ? '`npm install restwright`, with Node.js 24 or later.' : NOT_PUBLISHED,
  },
  'docs/guides/getting-started.md': { command: IS_PUBLISHED ? INSTALLED : FROM_TARBALL },
};

/**
 * The page with its generated sections.
 *
 * @throws {Error} where it lacks one
 */
export function withSections(page: string, sections: Readonly<Record<string, string>>): string {
  return Object.entries(sections).reduce((text, [name, section]) => {
    const [start, end] = [`<!-- ${name} -->\n\n`, `\n\n<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page has no section between ${start.trim()} and ${end.trim()}`);
    return `${text.slice(0, from + start.length)}${section}${text.slice(to)}`;
  }, page);
}

if (import.meta.main) {
  for (const [name, sections] of Object.entries(SECTIONS)) {
    const file = path.join(root, name);
    writeFileSync(file, withSections(readFileSync(file, 'utf8'), sections));
  }
}
