import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/conventions/json/json.ts';
import type { VersionChange } from '../../../../src/model/model.ts';
import { ConversionError } from '../../../../src/model/values/conversion-error.ts';
import { storedForm } from '../../../../src/model/values/stored-form.ts';
import { runs } from '../../../extent.ts';
import { load, rejectsEach } from '../../loading.ts';
import { loadOlder, versioned } from './older.ts';

type Convert = Extract<VersionChange, { kind: 'convert' }>;

/** A resource with these fields, of which some are required. */
function items(properties: string, required = ''): string {
  return `items: { schema: { type: object, required: [${required}], properties: { ${properties} } } }`;
}

function compile(properties: string, change: string, required = ''): Convert {
  const { changes } = loadOlder(versioned(items(properties, required), [`{ resource: items, ${change} }`]));
  const found = changes.find((each) => each.kind === 'convert');
  return found ?? assert.fail();
}

/** The values of the successor; the message of a refusal. */
function convertUp(change: Convert, values: JsonObject): JsonObject | string {
  try {
    return change.up(values);
  } catch (error) {
    assert.ok(error instanceof ConversionError);
    return `${error.field} ${error.message}`;
  }
}

const NAMES = 'first: { type: string }, last: { type: string }';
const SPLIT = 'split: { name: { schema: { type: string }, into: [first, last], separator: " " } }';
const JOIN =
  'join: { name: { from: { first: { type: string }, last: { type: [string, \'null\'] } }, separator: ", " } }';

describe('a split by a separator', () => {
  const change = compile(NAMES, SPLIT);

  for (const [name, first, last] of [
    ['Ada Byron', 'Ada', 'Byron'],
    ['Ada King Byron', 'Ada', 'King Byron'],
    ['Ada', 'Ada', null],
    ['Ada ', 'Ada', ''],
    [' ', '', ''],
    ['', '', null],
  ] as const) {
    it(`[VER-5a] has the parts ${JSON.stringify([first, last])} for ${JSON.stringify(name)}, and joins them again`, () => {
      assert.deepEqual(change.up({ name }), { first, last });
      assert.deepEqual(change.down({ first, last }), { name });
    });
  }

  it('[VER-5a] shows the parts that are set', () => {
    assert.deepEqual(change.down({ first: null, last: 'Byron' }), { name: 'Byron' });
    assert.deepEqual(change.down({ first: null, last: null }), { name: null });
    assert.deepEqual(change.up({ name: null }), { first: null, last: null });
  });

  it('[VER-5a] refuses a text with fewer parts than the successor requires', () => {
    const strict = compile(NAMES, SPLIT, 'first, last');
    assert.equal(convertUp(strict, { name: 'Ada' }), 'name must have at least 2 parts with " " between them');
    assert.deepEqual(convertUp(strict, { name: 'Ada ' }), { first: 'Ada', last: '' });
    assert.deepEqual(convertUp(compile(NAMES, SPLIT, 'first'), { name: 'Ada' }), { first: 'Ada', last: null });
  });
});

describe('a join by a separator', () => {
  const change = compile('name: { type: string }', JOIN, 'name');

  it('[VER-5a] joins the set parts, and splits them again', () => {
    assert.deepEqual(change.up({ first: 'Ada', last: 'Byron' }), { name: 'Ada, Byron' });
    assert.deepEqual(change.down({ name: 'Ada, Byron' }), { first: 'Ada', last: 'Byron' });
    assert.deepEqual(change.up({ first: 'Ada', last: null }), { name: 'Ada' });
    assert.deepEqual(change.down({ name: 'Ada' }), { first: 'Ada', last: null });
    assert.deepEqual(change.down({ name: 'a, b, c' }), { first: 'a', last: 'b, c' });
  });

  it('[VER-5a] refuses parts that it would not show again', () => {
    const contains = 'must not contain ", ", nor end with a part of it';
    assert.equal(convertUp(change, { first: 'A, b', last: 'c' }), `first ${contains}`);
    assert.equal(convertUp(change, { first: 'A, b', last: null }), `first ${contains}`);
    assert.equal(
      convertUp(change, { first: null, last: 'c' }),
      'first must have a value where a field after it has one',
    );
    const dashes = compile('name: { type: string }', JOIN.replace('", "', '"--"'));
    assert.equal(
      convertUp(dashes, { first: 'a-', last: '-b' }),
      'first must not contain "--", nor end with a part of it',
    );
  });
});

/** Schemas of the older version and of its successor, with pairs of values and texts without a counterpart. */
const TYPES: readonly (readonly [
  older: string,
  newer: string,
  pairs: readonly (readonly [older: unknown, newer: unknown])[],
  refused: readonly unknown[],
])[] = [
  [
    'type: string',
    'type: integer',
    [
      ['12', 12],
      ['-3', -3],
      ['0', 0],
    ],
    ['', 'a', '1.5', '012', '+1', ' 1', '1e3', '-0', '9007199254740993', 'Infinity'],
  ],
  [
    'type: string',
    'type: number',
    [
      ['1.5', 1.5],
      ['1e+21', 1e21],
      ['-0.1', -0.1],
    ],
    ['1.50', 'NaN', 'Infinity', '1e400', '', '0x10', '0.1000000000000000055'],
  ],
  [
    'type: string',
    'type: string, format: decimal, x-scale: 2',
    [
      ['5.00', '5.00'],
      ['-0.10', '-0.10'],
    ],
    ['5', '5.0', '05.00', 'a'],
  ],
  [
    'type: string',
    'type: string, format: decimal',
    [
      ['5', '5'],
      ['0.1', '0.1'],
    ],
    ['5.0', '-0', '1e3'],
  ],
  [
    'type: string',
    'type: boolean',
    [
      ['true', true],
      ['false', false],
    ],
    ['True', '1', ''],
  ],
  ['type: string', 'type: string, format: date', [['2026-02-28', '2026-02-28']], ['2026-02-30', '2026-2-28', '']],
  [
    'type: string',
    'type: string, format: date-time',
    [['2026-02-28T01:02:03.000Z', '2026-02-28T01:02:03.000Z']],
    ['2026-02-28T01:02:03Z', '2026-02-28T01:02:03.000+01:00', '2026-02-28'],
  ],
  ['type: number', 'type: integer', [[3, 3]], [1.5, 1e21]],
  [
    'type: string, format: decimal, x-scale: 2',
    'type: integer',
    [
      ['5.00', 5],
      ['-3.00', -3],
    ],
    ['5.10', '9007199254740993.00'],
  ],
  [
    'type: integer',
    'type: string, format: decimal, x-scale: 0, x-precision: 12',
    [
      [5, '5'],
      [-3, '-3'],
    ],
    [],
  ],
  [
    'type: number',
    'type: string, format: decimal, x-precision: 15, x-scale: 3',
    [
      [5, '5.000'],
      [1.25, '1.250'],
    ],
    [],
  ],
  [
    'type: string, format: decimal',
    'type: number',
    [
      ['0.1', 0.1],
      ['0.0000001', 1e-7],
      ['1000000000000000000000', 1e21],
    ],
    ['0.1000000000000000055'],
  ],
  [
    'type: string, format: date-time',
    'type: string, format: date',
    [['2026-02-28T00:00:00.000Z', '2026-02-28']],
    ['2026-02-28T00:00:00.001Z', '2026-02-28T01:00:00.000Z'],
  ],
  ['type: integer', 'type: string, enum: ["1", "2"]', [[1, '1']], []],
  ['type: integer', 'type: number, enum: [1, 2]', [[1, 1]], []],
  ['type: string, format: date', 'type: string, format: date-time, const: "2026-02-28T00:00:00.000Z"', [], []],
  ['type: string, enum: ["true", "false"]', 'type: boolean', [['true', true]], []],
];

describe('a type without functions', () => {
  for (const [older, newer, pairs, refused] of TYPES) {
    it(`[VER-5a] converts {${older}} to {${newer}}, and back`, () => {
      const change = compile(`size: { ${newer} }`, `type: { width: { schema: { ${older} }, to: size } }`);
      for (const [width, size] of pairs) {
        assert.deepEqual(convertUp(change, json({ width })), { size });
        assert.deepEqual(change.down(json({ size })), { width });
      }
      for (const width of refused) {
        const message = convertUp(change, json({ width }));
        assert.ok(typeof message === 'string' && /^width must (?:be|have) /.test(message), JSON.stringify(width));
      }
      assert.deepEqual([change.up({ width: null }), change.down({ size: null })], [{ size: null }, { width: null }]);
    });
  }
});

function json(values: Readonly<Record<string, unknown>>): JsonObject {
  return JSON.parse(JSON.stringify(values));
}

const scalarText = fc.oneof(
  fc.string(),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('true', 'false', '2026-02-28', '2026-02-28T00:00:00.000Z', '5.00', '1e+21'),
);
const scalar = {
  text: scalarText,
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
};
const decimal = fc
  .tuple(fc.maxSafeInteger(), fc.stringMatching(/^[0-9]{0,4}$/))
  .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`));
const time = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
  .map((iso) => (Number(iso.at(-2)) % 2 === 0 ? `${iso.slice(0, 10)}T00:00:00.000Z` : iso));

function drawValues(older: string): fc.Arbitrary<unknown> {
  if (older.includes('enum')) return fc.constantFrom('true', 'false');
  if (older.includes('decimal')) return decimal;
  if (older.includes('date-time')) return time;
  if (older.includes('date')) return time.map((iso) => iso.slice(0, 10));
  return older.includes('integer') ? scalar.integer : older.includes('number') ? scalar.number : scalar.text;
}

describe('a value that a conversion as data accepts', () => {
  /** Asserts that the accepted values of the older version are shown again after they were stored. */
  function assertShownAgain(text: string, values: fc.Arbitrary<JsonObject>): void {
    const { model } = load(text);
    const [newest, older] = [model.resources.get('items'), model.versions[0]?.model.resources.get('items')];
    const change = model.versions[0]?.changes.find((each) => each.kind === 'convert');
    assert.ok(newest !== undefined && older !== undefined && change !== undefined);
    const normalize = (fields: typeof newest.fields, given: JsonObject): JsonObject =>
      Object.fromEntries(
        fields.flatMap((field) =>
          Object.hasOwn(given, field.name) ? [[field.name, storedForm(field)(given[field.name] ?? null)]] : [],
        ),
      );
    fc.assert(
      fc.property(values, (given) => {
        const sent = normalize(older.fields, given);
        const stored = convertUp(change, sent);
        if (typeof stored !== 'string') assert.deepEqual(change.down(normalize(newest.fields, stored)), sent);
      }),
      { numRuns: runs(200, 2000) },
    );
  }

  for (const [older, newer] of TYPES) {
    it(`[VER-5a] is shown again: {${older}} over {${newer}}`, () => {
      const change = `{ resource: items, type: { size: { schema: { ${older} } } } }`;
      const values = drawValues(older).map((size) => json({ size }));
      assertShownAgain(versioned(items(`size: { ${newer} }`), [change]), values);
    });
  }

  const part = fc.option(fc.oneof(fc.string(), fc.stringMatching(/^[a ,-]{0,5}$/)), { nil: null });
  it('[VER-5a] is shown again: a text over parts', () => {
    for (const separator of ['" "', '", "', '"--"']) {
      const change = `{ resource: items, ${SPLIT.replace('" "', separator)} }`;
      assertShownAgain(
        versioned(items(NAMES), [change]),
        part.map((name) => ({ name })),
      );
    }
  });

  it('[VER-5a] is shown again: parts over a text', () => {
    for (const separator of ['" "', '", "', '"--"']) {
      const change = `{ resource: items, ${JOIN.replace('", "', separator)} }`;
      const values = fc.record({ first: part, last: part });
      assertShownAgain(versioned(items('name: { type: string }'), [change]), values);
    }
  });
});

describe('a conversion as data', () => {
  it('[VER-5a] [REP-4] has the defaults of the newest version in the form of the older one', () => {
    const defaults = (properties: string, change: string, required = ''): readonly unknown[] => {
      const text = versioned(items(properties, required), [`{ resource: items, ${change} }`]);
      return (
        loadOlder(text)
          .model.resources.get('items')
          ?.fields.map(({ required: is, default: by }) => [is, by]) ?? []
      );
    };
    const type = 'type: { size: { schema: { type: string } } }';
    assert.deepEqual(defaults('size: { type: integer, default: 5 }', type), [[false, '5']]);
    assert.deepEqual(defaults('size: { type: integer, default: 5 }', type, 'size'), [[false, '5']]);
    const own = 'type: { size: { schema: { type: string, default: "7" } } }';
    assert.deepEqual(defaults('size: { type: integer, default: 5 }', own), [[false, '7']]);
    const names = NAMES.replaceAll('string', 'string, default: X');
    assert.deepEqual(defaults(names, SPLIT), [[false, 'X X']]);
    const alone = names.replace(', default: X', '');
    assert.deepEqual(defaults(alone, SPLIT.replace('string', 'string, default: null')), [[false, null]]);
    assert.deepEqual(defaults(names.replace(', default: X', ''), SPLIT, 'first'), [[true, undefined]]);
  });

  it('[CACHE-1] changes the fingerprint', () => {
    const fingerprint = (separator: string): string =>
      load(versioned(items(NAMES), [`{ resource: items, ${SPLIT.replace('" "', separator)} }`])).model.fingerprint;
    assert.notEqual(fingerprint('" "'), fingerprint('"-"'));
    assert.equal(fingerprint('" "'), fingerprint('" "'));
  });
});

const PAIRS =
  /there is one for text and integer, number, decimal, boolean, date or date-time; integer and number; decimal and/;

/** Fields of the successor, the required ones, a change, and the problem that it has. */
type Refusal = readonly [
  title: string,
  properties: string,
  required: string,
  change: string,
  path: string,
  cause: RegExp,
  fix: RegExp,
];

const REFUSALS: readonly Refusal[] = [
  [
    'types without a conversion',
    'size: { type: boolean }',
    '',
    'type: { size: { schema: { type: integer } } }',
    '.type.size',
    PAIRS,
    /declare up and down in a TypeScript model/,
  ],
  [
    'one type twice',
    'size: { type: integer }',
    '',
    'type: { width: { schema: { type: integer, minimum: 1 }, to: size } }',
    '.type.width',
    /width of 1\.4\.0, integer, and size of 2\.0\.0, integer, have no conversion/,
    /use rename/,
  ],
  [
    'texts of which not each is a number',
    'size: { type: string }',
    '',
    'type: { size: { schema: { type: integer } } }',
    '.type.size',
    /1\.4\.0 has nothing to show in size for some values that size can have in 2\.0\.0/,
    /list its values in an enum in 2\.0\.0, or declare up and down/,
  ],
  [
    'a listed text that is no number',
    'size: { type: string, enum: ["1", big] }',
    '',
    'type: { size: { schema: { type: integer } } }',
    '.type.size',
    /nothing to show in size for big of size in 2\.0\.0/,
    /remove the value/,
  ],
  [
    'numbers that are not whole',
    'size: { type: number }',
    '',
    'type: { size: { schema: { type: integer } } }',
    '.type.size',
    /nothing to show in size/,
    /list its values in an enum in 2\.0\.0/,
  ],
  [
    'decimals that no number holds',
    'price: { type: string, format: decimal, x-precision: 20, x-scale: 2 }',
    '',
    'type: { price: { schema: { type: number } } }',
    '.type.price',
    /nothing to show in price/,
    /add x-precision: 15 to it in 2\.0\.0/,
  ],
  [
    'decimals that are not whole',
    'price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }',
    '',
    'type: { price: { schema: { type: integer } } }',
    '.type.price',
    /nothing to show in price/,
    /add x-precision: 15 and x-scale: 0 to it/,
  ],
  [
    'numbers that need more decimals',
    'price: { type: number }',
    '',
    'type: { price: { schema: { type: string, format: decimal, x-scale: 2 } } }',
    '.type.price',
    /nothing to show in price/,
    /remove x-precision and x-scale from the schema of 1\.4\.0/,
  ],
  [
    'times that are not at midnight',
    'due: { type: string, format: date-time }',
    '',
    'type: { due: { schema: { type: string, format: date } } }',
    '.type.due',
    /nothing to show in due/,
    /list its values/,
  ],
  [
    'a list that lacks stored values',
    'size: { type: integer }',
    '',
    'type: { size: { schema: { type: string, enum: ["1", "2"] } } }',
    '.type.size.schema.enum',
    /size of 1\.4\.0 lists its values, and 2\.0\.0 can have others in size/,
    /remove it, or list the same values in 2\.0\.0/,
  ],
  [
    'a listed value without a counterpart',
    'size: { type: boolean }',
    '',
    'type: { size: { schema: { type: string, enum: ["true", "false", "maybe"] } } }',
    '.type.size.schema.enum',
    /maybe of 1\.4\.0 has no counterpart in 2\.0\.0: it must be "true" or "false"/,
    /remove it/,
  ],
  [
    'a default without a counterpart',
    'size: { type: integer }',
    '',
    'type: { size: { schema: { type: string, default: big } } }',
    '.type.size.schema.default',
    /big of 1\.4\.0 has no counterpart in 2\.0\.0: it must be an integer as text/,
    /write another value/,
  ],
  [
    'a required field that rows leave unset',
    "size: { type: [integer, 'null'] }",
    'size',
    'type: { size: { schema: { type: string } } }',
    '.type.size.schema.type',
    /1\.4\.0 requires size, which some values of size in 2\.0\.0 leave unset/,
    /add 'null' to its type/,
  ],
  [
    'a part that some texts do not have',
    'name: { type: string }',
    'name',
    'join: { name: { from: { first: { type: string }, last: { type: string } }, separator: " " } }',
    '.join.name.from.last.type',
    /1\.4\.0 requires last, which some values of name in 2\.0\.0 leave unset/,
    /add 'null' to its type/,
  ],
  [
    'parts that are no texts',
    'first: { type: string }, age: { type: integer }',
    '',
    'split: { name: { schema: { type: string }, into: [first, age], separator: " " } }',
    '.split.name',
    /age of 2\.0\.0 is not a string, as a separator needs/,
    /declare up and down/,
  ],
  [
    'a part of a format',
    'name: { type: string }',
    '',
    'join: { name: { from: { first: { type: string }, born: { type: string, format: date } }, separator: " " } }',
    '.join.name.from.born',
    /born of 1\.4\.0 is not plain text, as a separator needs/,
    /write type: string/,
  ],
  [
    'a split into one',
    'name: { type: string }',
    '',
    'split: { whole: { schema: { type: string }, into: [name], separator: " " } }',
    '.split.whole',
    /one field for one has no separator/,
    /use rename/,
  ],
  [
    'a default that parts cannot show by themselves',
    'name: { type: string, default: Ada Byron }',
    '',
    'join: { name: { from: { first: { type: string }, last: { type: string } }, separator: " " } }',
    '.join.name',
    /2\.0\.0 has a default for name, and 1\.4\.0 has none for first and last/,
    /add default: Ada to the schema of first and default: Byron to the schema of last/,
  ],
  [
    'a default of a part alone',
    'first: { type: string }, last: { type: string, default: X }',
    '',
    SPLIT,
    '.split.name',
    /2\.0\.0 has a default for first and last, and 1\.4\.0 has none for name/,
    /add default: null to the schema of name/,
  ],
  [
    'an empty separator',
    NAMES,
    '',
    'split: { name: { schema: { type: string }, into: [first, last], separator: "" } }',
    '.split.name.separator',
    /separator/,
    /./,
  ],
  [
    'a join without a separator',
    'name: { type: string }',
    '',
    'join: { name: { from: { first: { type: string }, last: { type: string } } } }',
    '.join.name',
    /join needs a separator, or two functions, up and down/,
    /separator: " "/,
  ],
  [
    'a separator of a type',
    'size: { type: integer }',
    '',
    'type: { size: { schema: { type: string }, separator: " " } }',
    '.type.size.separator',
    /unknown key separator/,
    /remove it/,
  ],
  [
    'a split into a field that the successor lacks',
    NAMES,
    '',
    'split: { name: { schema: { type: string }, into: [frist, last], separator: " " } }',
    '.split.name',
    /2\.0\.0, the successor of 1\.4\.0, has no field frist in items/,
    /write first/,
  ],
];

describe('a conversion as data is a problem of the model', () => {
  rejectsEach(
    REFUSALS.map(([title, properties, required, change, path, cause, fix]) => ({
      title: `[VER-5a] for ${title}`,
      text: versioned(items(properties, required), [`{ resource: items, ${change} }`]),
      path: `versions["1.4.0"].changes[0]${path}`,
      line: 9,
      cause,
      fix,
    })),
  );
});
