import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/command.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readCommands, readPage } from './guide-pages.ts';
import { inBackground, inShell } from './guide-shell.ts';
import { freePort } from '../free-port.ts';

const guide = readPage('docs/guides/webhooks.md');
const ORIGIN = 'http://127.0.0.1:3000';

describe('the first webhook of the guide', () => {
  it('[EVT-5a] is created with curl, and its receiver prints the event', async (context) => {
    const folder = temporaryDirectory(context);
    const module = JSON.stringify(path.join(root, 'src', 'client', 'verify-webhook.ts'));
    writeFileSync(path.join(folder, 'shop.yaml'), readBlocks(guide, 'yaml')[0] ?? '');
    writeFileSync(
      path.join(folder, 'receiver.mjs'),
      (readBlocks(guide, 'js')[0] ?? '').replace("'restwright/webhooks'", module),
    );
    const port = await freePort();
    const [, section = ''] = guide.split('\n## Try it\n');
    const [serve = '', create = '', receive = '', change = ''] = readCommands(section.split('\n## ')[0] ?? '').map(
      (line) => line.replace(`curl ${ORIGIN}`, 'curl -sS "$ORIGIN"').replace('127.0.0.1:8080', `127.0.0.1:${port}`),
    );
    const { stdout } = await inShell(
      folder,
      [
        inBackground(`${serve} &`),
        'SERVER=$!',
        `SECRET=$(${create} | sed 's/.*"secret":"\\([^"]*\\)".*/\\1/')`,
        `PORT=${port} ${receive.replace('whsec_...', '"$SECRET"').replace('node ', '"$NODE" ')} > printed &`,
        'trap "kill $SERVER $! && wait || true" EXIT',
        `until curl -s -o /dev/null http://127.0.0.1:${port}/; do sleep 0.05; done`,
        `${change} > /dev/null`,
        'until grep . printed; do sleep 0.05; done',
      ].join('\n'),
    );
    assert.match(stdout, /^product\.created http:\/\/127\.0\.0\.1:\d+\/api\/v1\/products\/\S+\n$/);
  });
});
