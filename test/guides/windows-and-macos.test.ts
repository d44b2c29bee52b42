import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SaxesParser } from 'saxes';
import { root } from '../../scripts/command.ts';
import { databaseLocation } from '../../src/cli/database-settings.ts';
import { readBlocks, readCodes, readPage, readRows } from './guide-pages.ts';

const GUIDE = readPage('docs/guides/windows-and-macos.md');
/** The pieces of code in its sentences. */
const CODES = readCodes(GUIDE.replaceAll(/^```.*?^```$/gms, ''));

/**
 * The arguments of a command line as programs of Windows read it. Before a quotation mark, 2n backslashes are n
 * backslashes. One more makes the mark a character.
 */
function readArguments(line: string): readonly string[] {
  const found: string[] = [];
  let [current, isQuoted, isOpen] = ['', false, false];
  for (const [part] of line.matchAll(/\\*"|\\+|\s+|[^\\"\s]+/g)) {
    if (part.endsWith('"')) {
      const slashes = part.length - 1;
      current += '\\'.repeat(Math.floor(slashes / 2));
      isOpen = true;
      if (slashes % 2 === 1) current += '"';
      else isQuoted = !isQuoted;
    } else if (/^\s/.test(part) && !isQuoted) {
      if (isOpen) found.push(current);
      [current, isOpen] = ['', false];
    } else {
      current += part;
      isOpen = true;
    }
  }
  return isOpen ? [...found, current] : found;
}

describe('the guide for Windows and macOS', () => {
  it('quotes a body so that each shell passes the same JSON on', () => {
    const rows = readRows(GUIDE, '## Requests from PowerShell and cmd');
    const [posix = '', older = '', cmd = ''] = rows.map(([, cell]) => readCodes(cell)[0] ?? '');
    const wanted = { sku: 'L-1', name: 'Lamp' };
    // POSIX shells and PowerShell from 7.3 on pass what is between single quotes.
    assert.deepEqual(JSON.parse(posix.slice(1, -1)), wanted);
    // PowerShell before 7.3 pastes that into the command line, and cmd.exe the whole text.
    assert.deepEqual(readArguments(`curl -d ${older.slice(1, -1)} x`), ['curl', '-d', JSON.stringify(wanted), 'x']);
    assert.deepEqual(readArguments(`curl -d ${cmd} x`), ['curl', '-d', JSON.stringify(wanted), 'x']);
    const etags = CODES.filter((code) => code.includes('If-Match: \\"'));
    const lines = etags.map((code) => code.replace(/'(.*)'/, '"$1"'));
    for (const line of lines) assert.deepEqual(readArguments(line), ['-H', 'If-Match: "…"'], line);
    assert.equal(lines.length, 2);
  });

  it('has a body of PowerShell that is JSON, and names the charset of each', () => {
    const [, block = ''] = readBlocks(GUIDE, 'powershell');
    const [, body = ''] = /-Body '([^']*)'/.exec(block) ?? [];
    assert.deepEqual(JSON.parse(body), { price: '39.90' });
    assert.equal(block.match(/application\/json; charset=utf-8/g)?.length, block.match(/-Body/g)?.length);
  });

  it('names paths with a drive, which are no URLs', () => {
    const paths = CODES.flatMap((code) => /^--database (\S+)$/.exec(code)?.[1] ?? []);
    assert.equal(paths.length, 3);
    for (const database of paths) {
      const location = databaseLocation({ database }, {});
      assert.match(JSON.stringify(location), /"(?:C:\\\\data\\\\|\.\/data\/)shop\.db"/, database);
    }
  });

  it('has a daemon of launchd that is started again after failures, and has time to stop', () => {
    const texts: string[] = [];
    const parser = new SaxesParser();
    parser.on('error', (error) => assert.fail(error));
    parser.on('text', (text) => texts.push(text.trim()));
    parser.write(readFileSync(path.join(root, 'examples/deploy/com.example.shop.plist'), 'utf8')).close();
    const words = texts.filter((text) => text !== '');
    assert.ok(words.includes('SuccessfulExit') && words.includes('_shop'));
    assert.ok(Number(words[words.indexOf('ExitTimeOut') + 1]) > 25);
    const args = words.slice(words.indexOf('ProgramArguments') + 1, words.indexOf('WorkingDirectory'));
    assert.match(args.join(' '), /^\S+\/node \S+\/restwright\/bin\/restwright\.js serve \S+\.yaml$/);
  });
});
