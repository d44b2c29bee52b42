import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems, rejectsEach } from '../../loading.ts';
import { versioned } from './older.ts';

const ITEMS = [
  'suppliers: { schema: { type: object, properties: { name: { type: string }, phone: { type: string } } } }',
  'items:',
  '  parent: suppliers',
  '  schema:',
  '    type: object',
  '    required: [price]',
  '    properties:',
  '      name: { type: string, maxLength: 3 }',
  '      size: { type: string }',
  '      price: { type: integer, minimum: 1 }',
  '      status: { type: string, enum: [A, B, C] }',
  '      address: { type: object, properties: { city: { type: string } } }',
  '      due: { type: string, format: date-time }',
  '      cost: { type: string, writeOnly: true }',
  '      stamp: { type: string, readOnly: true }',
].join('\n');
/** The line of the first change. */
const LINE = 23;

/** One change, and the problem that it has at its line. */
type Refusal = readonly [title: string, change: string, path: string, cause: RegExp, fix: RegExp];

const refusals: readonly Refusal[] = [
  [
    'a resource that is none',
    '{ resource: item, absent: true }',
    '.resource',
    /2\.0\.0, the successor of 1\.4\.0, has no resource item/,
    /write items/,
  ],
  [
    'a change of nothing',
    '{ resource: items }',
    '',
    /nothing of items differs between 1\.4\.0 and its successor 2\.0\.0/,
    /remove it/,
  ],
  [
    'a rename of what the successor has not',
    '{ resource: items, rename: { title: nme } }',
    '.rename.title',
    /2\.0\.0, the successor of 1\.4\.0, has no field nme in items/,
    /write name/,
  ],
  [
    'a rename to a field that both versions have',
    '{ resource: items, rename: { size: name } }',
    '.rename.size',
    /1\.4\.0 already has a field size in items, from its successor 2\.0\.0/,
    /another name/,
  ],
  [
    'two changes of one field',
    '{ resource: items, rename: { title: name }, without: [name] }',
    '.without[0]',
    /two changes from 1\.4\.0 to 2\.0\.0 name the field name of items/,
    /remove one/,
  ],
  [
    'two fields of one older name',
    '{ resource: items, rename: { title: name }, with: { title: { schema: { type: string } } } }',
    '.with.title',
    /two changes from 1\.4\.0 to 2\.0\.0 name the field title of items in 1\.4\.0/,
    /remove one/,
  ],
  [
    'a change of a member of an object that another one takes away',
    '{ resource: items, rename: { place.town: address.city }, without: [address] }',
    '.without[0]',
    /two changes/,
    /remove one/,
  ],
  [
    'names that form a cycle',
    '{ resource: items, rename: { name: size, size: name } }',
    '.rename.name',
    /the names name → size → name of items form a cycle between 1\.4\.0 and 2\.0\.0/,
    /neither version/,
  ],
  [
    'a rename to itself',
    '{ resource: items, rename: { name: name } }',
    '.rename.name',
    /cycle between 1\.4\.0 and 2\.0\.0/,
    /neither version/,
  ],
  [
    'a name that no field can have',
    '{ resource: items, rename: { Title: name } }',
    '.rename.Title',
    /Title cannot be a field of 1\.4\.0, which 2\.0\.0 succeeds/,
    /snake_case/,
  ],
  [
    'the name of a system field',
    '{ resource: items, with: { revision: { schema: { type: string } } } }',
    '.with.revision',
    /revision cannot be a field of 1\.4\.0/,
    /another name/,
  ],
  [
    'a rename of the id of the parent',
    '{ resource: items, rename: { vendor_id: supplier_id } }',
    '.rename.vendor_id',
    /supplier_id is the id of the parent: in 1\.4\.0, as in 2\.0\.0/,
    /singular of the parent/,
  ],
  [
    'a rename into an object',
    '{ resource: items, rename: { address.name: name } }',
    '.rename["address.name"]',
    /address\.name in 1\.4\.0 and name in 2\.0\.0 are in different objects/,
    /use move/,
  ],
  [
    'a move that is a rename',
    '{ resource: items, move: { title: name } }',
    '.move.title',
    /title in 1\.4\.0 and name in 2\.0\.0 are in no object/,
    /use rename/,
  ],
  [
    'a move into what is no object',
    '{ resource: items, move: { size.name: name } }',
    '.move["size.name"]',
    /size is not an object in 1\.4\.0, the version before 2\.0\.0/,
    /into an object/,
  ],
  [
    'a move of a write-only field into an object',
    '{ resource: items, move: { address.cost: cost } }',
    '.move["address.cost"]',
    /cost is write-only in 2\.0\.0, which a member of an object cannot in 1\.4\.0/,
    /rename it/,
  ],
  [
    'a version without a member of an object',
    '{ resource: items, without: [address.city] }',
    '.without[0]',
    /address\.city is a member of an object in 2\.0\.0; 1\.4\.0/,
    /a field of the resource/,
  ],
  [
    'a loss of what every row needs',
    '{ resource: items, without: [price] }',
    '.without[0]',
    /1\.4\.0 cannot create items: 2\.0\.0 requires price/,
    /add fill: \{ price: value \}/,
  ],
  [
    'a fill of the wrong type',
    '{ resource: items, without: [price], fill: { price: EUR } }',
    '.fill.price',
    /1\.4\.0 has for price of 2\.0\.0 must be an integer/,
    /its schema allows/,
  ],
  [
    'a fill that the schema does not allow',
    '{ resource: items, without: [price], fill: { price: 0 } }',
    '.fill.price',
    /must be at least 1|must be >= 1|greater than or equal/,
    /its schema allows/,
  ],
  [
    'a fill of a field that the version can send',
    '{ resource: items, fill: { name: a } }',
    '.fill.name',
    /1\.4\.0 can send name to its successor 2\.0\.0/,
    /without: \[name\]/,
  ],
  [
    'a fill of what the successor has not',
    '{ resource: items, fill: { nme: a } }',
    '.fill.nme',
    /2\.0\.0, the successor of 1\.4\.0, has no field nme/,
    /write name/,
  ],
  [
    'a fill of what no client can write',
    '{ resource: items, without: [stamp], fill: { stamp: a } }',
    '.fill.stamp',
    /no client of 1\.4\.0 or 2\.0\.0 can write stamp/,
    /remove it/,
  ],
  [
    'values of a field that neither version has',
    '{ resource: items, values: { state: { a: A } } }',
    '.values.state',
    /2\.0\.0, the successor of 1\.4\.0, has no field that 1\.4\.0 calls state/,
    /write status/,
  ],
  [
    'a value that the successor does not have',
    '{ resource: items, values: { status: { a: X } } }',
    '.values.status.a',
    /what 1\.4\.0 calls a in status must be .* in its successor 2\.0\.0/,
    /a value of 2\.0\.0/,
  ],
  [
    'several values for one',
    '{ resource: items, values: { status: { a: A, b: A } } }',
    '.values.status',
    /not one-to-one: 1\.4\.0 has no single value for "A" of 2\.0\.0/,
    /default_out: \{ status: value \}/,
  ],
  [
    'a value that means two',
    '{ resource: items, values: { status: { A: B } } }',
    '.values.status',
    /not one-to-one/,
    /default_out/,
  ],
  [
    'a default_out that is no value of the version',
    '{ resource: items, values: { status: { a: A, b: A } }, default_out: { status: A } }',
    '.default_out.status',
    /"A" is no value of status in 1\.4\.0, the version before 2\.0\.0/,
    /use one of "a", "b"/,
  ],
  [
    'a default_out that nothing needs',
    '{ resource: items, values: { status: { a: A } }, default_out: { status: a } }',
    '.default_out.status',
    /each value of status in 2\.0\.0 has its own in 1\.4\.0/,
    /remove it/,
  ],
  [
    'a default_out without values',
    '{ resource: items, rename: { title: name }, default_out: { status: a } }',
    '.default_out.status',
    /status has the same values in 1\.4\.0 and its successor 2\.0\.0/,
    /declare values/,
  ],
  [
    'values of a type that has several texts for one',
    '{ resource: items, values: { due: { a: "2026-01-01T00:00:00Z" } } }',
    '.values.due',
    /the values of due cannot be listed in 1\.4\.0 and 2\.0\.0/,
    /use type/,
  ],
  [
    'values of another type',
    '{ resource: items, values: { price: { cheap: 1 } } }',
    '.values.price.cheap',
    /cheap is no integer, as price is in 1\.4\.0 and 2\.0\.0/,
    /use type/,
  ],
  [
    'a value in responses that the schema does not allow',
    '{ resource: items, with: { old: { schema: { type: integer }, out: a } } }',
    '.with.old.out',
    /what 1\.4\.0 shows for old, which 2\.0\.0 does not have, must be an integer/,
    /schema allows/,
  ],
  [
    'a field of the version alone that is stored',
    '{ resource: items, with: { old: { schema: { type: string, x-unique: true } } } }',
    '.with.old.schema.x-unique',
    /x-unique does not apply to a field of 1\.4\.0 that 2\.0\.0 does not have/,
    /remove it/,
  ],
  [
    'a former name of a member of a field that the version alone has',
    '{ resource: items, with: { old: { schema: { type: object, properties: { city: { type: string, x-was: town } } } } } }',
    '.with.old.schema.properties.city.x-was',
    /x-was does not apply to a member of a field of 1\.4\.0 that 2\.0\.0 does not have/,
    /remove it, and write the name that 1\.4\.0 has; .*is a move/,
  ],
  [
    'a former name in the items of such a field',
    '{ resource: items, with: { old: { schema: { type: array, items: { type: object, properties: { city: { type: string, x-was: town } } } } } } }',
    '.with.old.schema.items.properties.city.x-was',
    /x-was does not apply to a member/,
    /remove it/,
  ],
  [
    'a former name in the values of a map in such a field',
    '{ resource: items, with: { old: { schema: { type: object, properties: { by: { type: object, additionalProperties: { type: object, properties: { city: { type: string, x-was: town } } } } } } } } }',
    '.with.old.schema.properties.by.additionalProperties.properties.city.x-was',
    /x-was does not apply to a member/,
    /remove it/,
  ],
  [
    'a resource that is absent and differs',
    '{ resource: items, absent: true, rename: { title: name } }',
    '',
    /1\.4\.0 does not have items, so nothing of it differs from its successor 2\.0\.0/,
    /or absent/,
  ],
  [
    'a collection that another resource has',
    '{ resource: items, collection: suppliers, singular: item }',
    '.collection',
    /in 1\.4\.0, as in its successor 2\.0\.0, suppliers is the collection of suppliers/,
    /another name/,
  ],
  [
    'a split without functions',
    '{ resource: items, split: { whole: { schema: { type: string }, into: [name, size] } } }',
    '.split.whole',
    /split needs a separator, or two functions/,
    /TypeScript/,
  ],
];

describe('a change is a problem of the model', () => {
  rejectsEach(
    refusals.map(([title, change, path, cause, fix]) => ({
      title: `[VER-5a] for ${title}`,
      text: versioned(ITEMS, [change]),
      path: `versions["1.4.0"].changes[0]${path}`,
      line: LINE,
      cause,
      fix,
    })),
  );

  it('[VER-5a] for each of several, in their order', () => {
    const changes = ['{ resource: items, without: [nme] }', '{ resource: itms, absent: true }'];
    assert.deepEqual(
      listProblems(versioned(ITEMS, changes)).map(({ line, path }) => [line, path]),
      [
        [LINE, 'versions["1.4.0"].changes[0].without[0]'],
        [LINE + 1, 'versions["1.4.0"].changes[1].resource'],
      ],
    );
  });

  it('[VER-5a] for names of collections that form a cycle', () => {
    const changes = ['{ resource: items, collection: suppliers }', '{ resource: suppliers, collection: items }'];
    const [problem] = listProblems(versioned(ITEMS.replace('  parent: suppliers\n', ''), changes));
    assert.match(problem?.cause ?? '', /suppliers → items → suppliers form a cycle between 1\.4\.0 and 2\.0\.0/);
  });
});

const sections = (lines: readonly string[], top = ''): string =>
  [
    'name: shop',
    'version: 2.0.0',
    top === '' ? 'default_version: 1' : top,
    'resources: { items: { schema: { type: object, properties: { a: { type: string } } } } }',
    'versions:',
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n');

describe('the versions of a model', () => {
  rejectsEach([
    {
      title: '[VER-2] are older than the model',
      text: sections(['2.0.0: {}', '1.0.0: {}']),
      path: 'versions["2.0.0"]',
      line: 6,
      cause: /2\.0\.0 is not older than 2\.0\.0, the version of the model/,
      fix: /newest first/,
    },
    {
      title: '[VER-2] stand newest first',
      text: sections(['1.2.0: {}', '1.10.0: {}']),
      path: 'versions["1.10.0"]',
      line: 7,
      cause: /1\.10\.0 is not older than 1\.2\.0, which stands above it/,
      fix: /newest first/,
    },
    {
      title: '[VER-2] differ in more than the patch, which selects nothing',
      text: sections(['1.2.3: {}', '1.2.1: {}']),
      path: 'versions["1.2.1"]',
      line: 7,
      cause: /1\.2\.1 and 1\.2\.3 differ in the patch alone/,
      fix: /remove 1\.2\.1/,
    },
    {
      title: '[VER-4b] are deprecated before their sunset',
      text: sections(['1.2.0: { deprecated: 2027-01-01, sunset: 2026-01-01 }']),
      path: 'versions["1.2.0"].sunset',
      line: 6,
      cause: /the sunset of 1\.2\.0 is before its deprecation/,
      fix: /later date/,
    },
    {
      title: '[VER-2] need a default where two majors are served',
      text: sections(['1.2.0: {}'], 'title: Shop'),
      path: 'versions',
      line: 5,
      cause: /the majors 2 and 1 are served/,
      fix: /default_version: 1/,
    },
    {
      title: '[VER-2] include the default, which is not retired',
      text: sections(['1.2.0: { retired: true }']),
      path: 'default_version',
      line: 3,
      cause: /version 1 is not served/,
      fix: /write 2/,
    },
    {
      title: '[VER-1] are MAJOR.MINOR.PATCH',
      text: sections(['1.2: {}', '1.0.0: {}']),
      path: 'versions["1.2"]',
      line: 6,
      cause: /unknown key 1\.2/,
      fix: /remove it/,
    },
    {
      title: '[VER-5a] have changes of the declared kinds alone',
      text: sections(['1.2.0: { changes: [{ resource: items, renam: { b: a } }] }']),
      path: 'versions["1.2.0"].changes[0].renam',
      line: 6,
      cause: /unknown key renam/,
      fix: /write rename/,
    },
    {
      title: '[VER-5a] report what is no valid model at the version, once, and none that derives from it',
      text: sections([
        '1.2.0: { changes: [{ resource: items, with: { b: { schema: { type: string } }, a_b: { schema: { type: string } } }, collection: batches, singular: lot }] }',
        '1.1.0: { changes: [{ resource: items, rename: { c: a } }] }',
      ]),
      path: 'versions["1.2.0"]',
      line: 6,
      cause: /1\.2\.0, which derives from 2\.0\.0, is not a valid model: resources\.items: the collection batches is/,
      fix: /another name/,
    },
  ]);

  it('[VER-5a] are judged only after the rest of the model', () => {
    const text = sections(['1.2.0: { changes: [{ resource: gone, absent: true }] }']).replace('string', 'strin');
    assert.deepEqual(
      listProblems(text).map(({ line }) => line),
      [4],
    );
  });
});
