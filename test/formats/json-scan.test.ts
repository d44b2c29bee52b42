import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scanJson } from '../../src/formats/json-scan.ts';
import { throwsApiError } from '../conventions/throws-api-error.ts';
import { runs } from '../extent.ts';
import { threadTime } from '../thread-time.ts';

const LIMITS = { depth: 32, items: 10_000 };
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const list = (count: number) => `[${Array.from({ length: count }, () => '0').join()}]`;

describe('scanJson', () => {
  const taken: readonly string[] = [
    '0',
    '-0',
    '1.5e-7',
    '1E+2',
    'true',
    ' [ ] ',
    '\t{\r\n} ',
    '""',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"',
    '"\\ud83d\\ude00"',
    '"😀"',
    '"\u007f\u2028"',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"":1}',
    '{"a":1,"A":2,"\\u0061b":3}',
    '{"__proto__x":1,"toString":2}',
    '9007199254740991',
    '-9007199254740991',
    '9007199254740993.0',
    '1e20',
    '1.7976931348623157e308',
    '1e-400',
    `0.${'1'.repeat(400)}`,
  ];
  for (const text of taken) {
    it(`[REP-7] accepts ${text.slice(0, 40)}`, () => assert.doesNotThrow(() => scanJson(text, LIMITS)));
  }

  const refused: readonly (readonly [text: string, place: string, reason: RegExp])[] = [
    ['{"a":1,"a":2}', 'line 1, column 8', /duplicate member/],
    ['{"a":1,"\\u0061":2}', 'line 1, column 8', /duplicate member/],
    ['{"b":{},\n "a":[1],\n "b":{}}', 'line 3, column 2', /duplicate member/],
    ['{"__proto__":1}', 'line 1, column 2', /__proto__/],
    ['[{"\\u005f_proto__":1}]', 'line 1, column 3', /__proto__/],
    ['{"constructor":1}', 'line 1, column 2', /constructor/],
    ['{"a":{"prototype":1}}', 'line 1, column 7', /prototype/],
    ['"\\ud800"', 'line 1, column 2', /surrogate/],
    ['"\\ude00\\ud83d"', 'line 1, column 2', /surrogate/],
    ['"a\\ud83dx"', 'line 1, column 3', /surrogate/],
    ['"\\ud83d\\ud83d"', 'line 1, column 2', /surrogate/],
    ['{"\\udfff":1}', 'line 1, column 3', /surrogate/],
    ['"\ud800"', 'line 1, column 2', /surrogate/],
    ['"\\u0000"', 'line 1, column 2', /NUL/],
    ['"\uffff"', 'line 1, column 2', /noncharacter/],
    ['"\\ufdd0"', 'line 1, column 2', /noncharacter/],
    ['"\\ud83f\\udffe"', 'line 1, column 2', /noncharacter/],
    ['"\u{1ffff}"', 'line 1, column 2', /noncharacter/],
    ['9007199254740992', 'line 1, column 1', /string/],
    ['[1, -9007199254740992]', 'line 1, column 5', /string/],
    ['12345678901234567890', 'line 1, column 1', /string/],
    ['1e309', 'line 1, column 1', /string/],
    ['-1e999', 'line 1, column 1', /string/],
    [`${'9'.repeat(400)}.5`, 'line 1, column 1', /string/],
    [nested('[', ']', 33), 'line 1, column 33', /32 levels/],
    [nested('{"a":', '}', 33), 'line 1, column 161', /32 levels/],
    [list(10_001), 'line 1, column 20002', /10000 items/],
    ['{', 'line 1, column 2', /member name/],
    ['{"a"', 'line 1, column 5', /colon/],
    ['{"a":', 'line 1, column 6', /unexpected end/],
    ['{"a":1', 'line 1, column 7', /comma or }/],
    ['{"a":1,}', 'line 1, column 8', /member name/],
    ['{a:1}', 'line 1, column 2', /member name/],
    ["{'a':1}", 'line 1, column 2', /member name/],
    ['[1,]', 'line 1, column 4', /value/],
    ['[1 2]', 'line 1, column 4', /comma or ]/],
    ['[1}', 'line 1, column 3', /comma or ]/],
    [']', 'line 1, column 1', /value/],
    ['1 2', 'line 1, column 3', /unexpected data/],
    ['{}\r\n\r\n,', 'line 3, column 1', /unexpected data/],
    ['01', 'line 1, column 2', /unexpected data/],
    ['+1', 'line 1, column 1', /value/],
    ['.5', 'line 1, column 1', /value/],
    ['1.', 'line 1, column 3', /digit/],
    ['-', 'line 1, column 2', /digit/],
    ['1e', 'line 1, column 3', /digit/],
    ['NaN', 'line 1, column 1', /value/],
    ['tru', 'line 1, column 1', /value/],
    ['nulll', 'line 1, column 5', /unexpected data/],
    ['"a', 'line 1, column 3', /unterminated/],
    ['"a\nb"', 'line 1, column 3', /control/],
    ['"\\x41"', 'line 1, column 2', /escape/],
    ['"\\u00g0"', 'line 1, column 2', /hexadecimal/],
    ['"\\u00', 'line 1, column 2', /hexadecimal/],
    ['// note\n1', 'line 1, column 1', /value/],
    ['\u00a01', 'line 1, column 1', /value/],
    ['\ufeff1', 'line 1, column 1', /value/],
  ];
  for (const [text, place, reason] of refused) {
    it(`[REP-7] refuses ${JSON.stringify(text.slice(0, 40))} at ${place}`, () => {
      const { message } = throwsApiError(() => scanJson(text, LIMITS), 'REQUEST_BODY_MALFORMED');
      assert.ok(message.includes(`${place}:`), message);
      assert.match(message, reason);
    });
  }

  it('[LIM-1] accepts the maximum depth and number of items', () => {
    for (const text of [nested('[', ']', 32), nested('{"a":', '}', 32).replace(':}', ':0}'), list(10_000)]) {
      assert.doesNotThrow(() => scanJson(text, LIMITS));
    }
  });

  it('[ERR-4] never quotes the body', () => {
    for (const text of ['{"password":"hunter2","password":1}', '{"a":hunter2}', '"hunter2']) {
      assert.ok(!throwsApiError(() => scanJson(text, LIMITS), 'REQUEST_BODY_MALFORMED').message.includes('hunter2'));
    }
  });

  it('[REP-7] accepts exactly the grammar of JSON.parse', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b"',
      '"',
      '\\',
      '\\n',
      '\\u0041',
      '0',
      '-',
      '1',
      '.5',
      'e1',
      'E+',
      'true',
      'null',
      ' ',
      '\n',
      '\t',
      '\u00a0',
      'x',
    ];
    const accepts = (read: (text: string) => unknown, text: string) => {
      try {
        read(text);
        return true;
      } catch {
        return false;
      }
    };
    const law = fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
      const text = parts.join('');
      const own = accepts((input) => scanJson(input, LIMITS), text);
      const native = accepts(JSON.parse, text);
      // They differ only on duplicate members.
      assert.ok(own === native || (native && /"a".*"a"|"b".*"b"/s.test(text)), text);
    });
    fc.assert(law, { numRuns: runs(400, 5_000) });
  });

  it('[REP-7] finds the error wherever a valid text is damaged', () => {
    const valid = '{"a":[1,-2.5e3,"x\\u00e9",true],"b":{"c":null}}';
    const law = fc.property(
      fc.nat(valid.length - 1),
      fc.constantFrom('', ',', '"', '}', '0', '\\', 'é'),
      (at, piece) => {
        const spoilt = valid.slice(0, at) + piece + valid.slice(at + 1);
        const parsed = (() => {
          try {
            return JSON.stringify(JSON.parse(spoilt));
          } catch {
            return null;
          }
        })();
        if (parsed === null) throwsApiError(() => scanJson(spoilt, LIMITS), 'REQUEST_BODY_MALFORMED');
        else assert.doesNotThrow(() => scanJson(spoilt, LIMITS));
      },
    );
    fc.assert(law, { numRuns: 500 });
  });
});

describe('hostile bodies', () => {
  const MIB = 1_048_576;
  const names = (count: number, write: (index: number) => string) =>
    `{${Array.from({ length: count }, (_, index) => write(index)).join()}}`;
  const bodies: readonly (readonly [what: string, text: string, valid: boolean])[] = [
    ['open arrays', '['.repeat(MIB), false],
    ['open objects', '{"a":'.repeat(MIB / 5), false],
    ['digits', '1'.repeat(MIB), false],
    ['decimals', `0.${'1'.repeat(MIB)}`, true],
    ['escapes', `"${'\\n'.repeat(MIB / 2)}"`, true],
    ['escaped characters', `"${'\\u0041'.repeat(MIB / 6)}"`, true],
    ['one name 200,000 times', `{${'"a":1,'.repeat(200_000)}"b":1}`, false],
    ['100,000 names', names(100_000, (index) => `"n${index}":1`), true],
    ['100,000 names like indexes', names(100_000, (index) => `"${index * 32_768}":1`), true],
    ['quotes', '"'.repeat(MIB), false],
    ['line ends', `${'\n'.repeat(MIB)}x`, false],
  ];
  for (const [what, text, valid] of bodies) {
    it(`[LIM-1] scans 1 MiB of ${what} in linear time`, () => {
      const started = threadTime();
      if (valid) assert.doesNotThrow(() => scanJson(text, LIMITS));
      else throwsApiError(() => scanJson(text, LIMITS), 'REQUEST_BODY_MALFORMED');
      // Quadratic time would take minutes.
      assert.ok(threadTime() - started < 3000);
    });
  }
});
