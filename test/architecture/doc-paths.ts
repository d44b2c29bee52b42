import type { Finding } from './finding.ts';

/** The pages whose backticked paths must exist. Their paths are relative to the checkout or to src/. */
const PAGES: readonly string[] = ['docs/architecture.md', 'docs/glossary.md', 'docs/lifecycle.md'];
const PATH = /`([a-z][\w.-]*(?:\/[\w.-]+)*(?:\/|\.ts))`/g;
/** Made by a build, so not part of a checkout. */
const BUILT = 'dist/';

/** Reports every path in the pages on the architecture that is neither a file nor a folder of the checkout. */
export function docPathFindings(files: Readonly<Record<string, string>>): readonly Finding[] {
  const known = new Set(Object.keys(files).flatMap(withFolders));
  return PAGES.flatMap((page) =>
    (files[page] ?? '').split('\n').flatMap((line, index) =>
      [...line.matchAll(PATH)]
        .map(([, path = '']) => path)
        .filter((path) => !path.startsWith(BUILT) && !known.has(path) && !known.has(`src/${path}`))
        .map((path) => ({ file: page, line: index + 1, rule: 'paths', message: `\`${path}\` does not exist` })),
    ),
  );
}

/** A path and all folders above it, each with a trailing slash. */
function withFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return [path, ...parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)];
}
