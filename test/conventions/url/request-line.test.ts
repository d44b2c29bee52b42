import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRequestLine } from '../../../src/conventions/url/request-line.ts';

const read = (text: string) => readRequestLine(Buffer.from(text, 'latin1'));

describe('readRequestLine', () => {
  const lines: readonly (readonly [text: string, method: string, target: string])[] = [
    ['BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n', 'BREW', '/pot'],
    ['get / HTTP/1.0\r\n', 'get', '/'],
    ["a!#$%&'*+-.^_`|~0 * HTTP/1.9\r\n", "a!#$%&'*+-.^_`|~0", '*'],
    ['\r\n\r\nX http://h/ HTTP/1.1\r\n', 'X', 'http://h/'],
  ];
  for (const [text, method, target] of lines) {
    it(`[MET-6] parses ${JSON.stringify(text)}`, () => assert.deepEqual(read(text), { method, target }));
  }

  const invalid = [
    '',
    'BREW',
    'BREW /pot HTTP/1.1',
    'BREW /pot HTTP/1.1\n',
    'BREW /pot HTTP/1.1\rX\r\n',
    'BREW  /pot HTTP/1.1\r\n',
    'BREW\t/pot HTTP/1.1\r\n',
    ' BREW /pot HTTP/1.1\r\n',
    'BREW /pot\r\n',
    'BREW /a b HTTP/1.1\r\n',
    'BREW /pot HTTP/1.1 \r\n',
    'BREW /pot http/1.1\r\n',
    'BREW /pot HTTP/2.0\r\n',
    'BREW /pot HTTP/1.10\r\n',
    'BR@W /pot HTTP/1.1\r\n',
    'BR\u{C9}W /pot HTTP/1.1\r\n',
    'BREW /p\u{E9} HTTP/1.1\r\n',
    'BREW /p\0 HTTP/1.1\r\n',
    '\u{16}\u{3}\u{1}\u{2}\0',
    'X: y\r\nBREW /pot HTTP/1.1\r\n',
    `BREW /${'a'.repeat(20_000)} HTTP/1.1\r\n`,
  ];
  for (const text of invalid) {
    it(`[MET-6] returns null for ${JSON.stringify(text.slice(0, 40))}`, () => assert.equal(read(text), null));
  }
});
