import process from 'node:process';
import { ORIGIN_NAMES } from '../../conventions/url/origin-names.ts';
import { pathNextToBase } from '../../conventions/url/url.ts';
import { formatCount } from '../terminal/progress.ts';
import { styled, type Terminal } from '../terminal/terminal.ts';
import { browserCommand, openBrowser } from '../terminal/open-browser.ts';
import { localAddress, serverUrl } from './address.ts';
import type { ServedModel } from './serve-model.ts';
import type { ServerLog } from './server-log.ts';
import type { ServedSummary } from './served-summary.ts';

/**
 * Reports that a server listens: its URL on standard output for programs, and, where the log is for a person, what it
 * serves.
 *
 * @param open whether a browser opens the API. Where none can be opened, the log says so with the URL
 */
export function announce(
  { url, port, summary }: ServedModel,
  { style, write, observe }: ServerLog,
  { stdout }: Terminal,
  open: boolean,
): void {
  stdout.write(`listening on ${url}\n`);
  if (style.format === 'readable') write(describeServed(url, summary, style.colours));
  if (!open) return;
  const { hostname, pathname } = new URL(url);
  const local = serverUrl(localAddress(hostname.replace(/^\[(.*)\]$/, '$1')), port, pathname);
  openBrowser(browserCommand(process.platform, local), (reason) =>
    observe({ kind: 'browser-not-opened', url: local, reason }),
  );
}

/** The URL of a page of an API, next to its base path. */
function pageUrl(url: string, page: 'docs' | 'console'): string {
  const { origin, pathname } = new URL(url);
  return origin + pathNextToBase(pathname, ORIGIN_NAMES[page]);
}

/** Describes the served API, with a request to try. */
export function describeServed(url: string, summary: ServedSummary, colour: boolean): string {
  const { name, title, version, database, hasConsole, collections, further, example } = summary;
  const width = Math.max(0, ...collections.map((each) => each.name.length));
  const digits = Math.max(0, ...collections.map(({ rows }) => formatCount(rows).length));
  const facts: readonly (readonly [string, string])[] = [
    ['API', url],
    ['Docs', pageUrl(url, 'docs')],
    ...(hasConsole ? [['Console', pageUrl(url, 'console')] as const] : []),
    ['Database', database],
    // Double quotes are understood by every shell, also on Windows.
    ...(example === null ? [] : [['Try', `curl "${example}"`] as const]),
  ];
  const lines = [
    `${styled('bold', `${name} ${version}`, colour)}${title === name ? '' : `  ${title}`}`,
    ...collections.map(
      (each) =>
        `  ${each.name.padEnd(width)}  ${formatCount(each.rows).padStart(digits)} ${each.rows === 1 ? 'row' : 'rows'}`,
    ),
    ...(further === 0 ? [] : [`  and ${formatCount(further)} more ${further === 1 ? 'collection' : 'collections'}`]),
    '',
    ...facts.map(([label, value]) => `  ${styled('dim', label.padEnd(8), colour)}  ${value}`),
  ];
  return `\n${lines.join('\n')}\n\n`;
}
