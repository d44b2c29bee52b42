import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readCommands, readPage } from './guide-pages.ts';
import { inBackground, inShell } from './guide-shell.ts';
import { freePort } from '../free-port.ts';

const guide = readPage('docs/guides/webhooks.md');
const ORIGIN = 'http://127.0.0.1:3000';

describe('the first webhook of the guide', () => {
  it('[EVT-5a] is created with curl, and restwright listen shows and verifies its events', async (context) => {
    const folder = temporaryDirectory(context);
    writeFileSync(path.join(folder, 'shop.yaml'), readBlocks(guide, 'yaml')[0] ?? '');
    const port = await freePort();
    const [, section = ''] = guide.split('\n## Try it\n');
    const [serve = '', listen = '', create = '', change = '', verify = ''] = readCommands(
      section.split('\n##')[0] ?? '',
    ).map((line) =>
      line.replace(`curl ${ORIGIN}`, 'curl -sS "$ORIGIN"').replace('127.0.0.1:8080', `127.0.0.1:${port}`),
    );
    const { stdout } = await inShell(
      folder,
      [
        inBackground(`${serve} &`),
        'SERVER=$!',
        `${listen} --port ${port} > first &`,
        'trap "kill $SERVER $! && wait || true" EXIT',
        'until grep -q listening first; do sleep 0.05; done',
        `${create} | sed 's/.*"secret":"\\([^"]*\\)".*/\\1/' > webhook.secret`,
        `${change} > /dev/null`,
        'until grep product.created first; do sleep 0.05; done',
        'kill $! && wait $! || true',
        `${verify} --port ${port} > second &`,
        'trap "kill $SERVER $! && wait || true" EXIT',
        'until grep -q listening second; do sleep 0.05; done',
        `${change} > /dev/null`,
        'until grep product.created second; do sleep 0.05; done',
      ].join('\n'),
    );
    assert.match(stdout, /^\S+ {2}unverified {2}204 {2}product\.created {2}attempt 1 {2}id \S+\n/m);
    assert.match(stdout, /^\S+ {2}valid {7}204 {2}product\.created {2}attempt 1 {2}id \S+\n/m);
  });
});
