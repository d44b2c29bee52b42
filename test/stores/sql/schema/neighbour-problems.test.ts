import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neighbourProblems } from '../../../../src/stores/sql/schema/neighbours.ts';
import { profileModel } from '../../../../src/stores/sql/schema/model-profile.ts';
import { load } from '../../../model/loading.ts';

/**
 * The reasons why instances of a model of items cannot run next to those of another one. A model is its properties, and
 * the rest of the resource.
 */
function problems([before, beforeRest]: Items, [after, afterRest]: Items): readonly string[] {
  return neighbourProblems(profileModel(loadItems(before, beforeRest)), loadItems(after, afterRest));
}

type Items = readonly [properties: string, rest?: string];

function loadItems(properties: string, rest = '', auth = '') {
  const text = `
name: shop
auth: { issuers: [{ issuer: "https://id.example.com/", audience: shop, discovery: true }]${auth} }
resources:
  projects: { schema: { type: object, properties: { lead: { type: string } } } }
  items:
    schema: { type: object, properties: { ${properties} } }
    ${rest}
`;
  return load(text).model;
}

const level = (values: string): Items => [`level: { type: string, enum: [${values}] }`];
const status = (values: string, transitions: string): Items => [
  `status: { type: string, enum: [${values}], default: NEW }`,
  `state: { field: status, initial: NEW, transitions: { ${transitions} } }`,
];
const place = (members: string): Items => [`place: { type: object, properties: { ${members} } }`];
const owned = 'project_id: { type: string, x-references: projects }, owner: { type: string, readOnly: true }';

const REFUSED: readonly (readonly [title: string, before: Items, after: Items, expected: RegExp])[] = [
  [
    'a further value of an enum',
    level('LOW, HIGH'),
    level('LOW, HIGH, MID'),
    /^items\.level may be MID, which the old instances do not know: stop all/,
  ],
  [
    'a value of an enum less',
    level('LOW, HIGH'),
    level('LOW'),
    /^items\.level may not be HIGH, which the old instances write: stop all/,
  ],
  [
    'another singular',
    ['a: { type: string }'],
    ['a: { type: string }', 'singular: article'],
    /^items has the singular article, and the old instances name its events item: stop all/,
  ],
  [
    'an enum where there was none',
    ['level: { type: string }'],
    level('LOW'),
    /^items\.level allows other values than before: stop all/,
  ],
  [
    'a further state',
    status('NEW, SOLD', 'NEW: [SOLD], SOLD: []'),
    status('NEW, SOLD, BACK', 'NEW: [SOLD], SOLD: [BACK], BACK: []'),
    /^items\.status may be BACK, which the old instances do not know/,
  ],
  [
    'a further value of a member of an object',
    place('kind: { type: string, enum: [SHOP] }'),
    place('kind: { type: string, enum: [SHOP, HOME] }'),
    /^items\.place\.kind may be HOME, which the old instances do not know/,
  ],
  [
    'a further member of an object',
    place('city: { type: string }'),
    place('city: { type: string }, floor: { type: integer }'),
    /^items\.place has another type: add another field/,
  ],
  [
    'a row policy that compares another field',
    [owned, 'access: { rows: { read: { owner: $caller.subject } } }'],
    [owned, 'access: { rows: { read: { project.lead: $caller.subject } } }'],
    /^items has row policies that compare other fields, which the old instances do not record/,
  ],
];

describe('a model that is deployed next to the one before it', () => {
  for (const [title, before, after, expected] of REFUSED) {
    it(`[OPS-6] is refused by name and fix: ${title}`, () => {
      const found = problems(before, after);
      assert.match(found[0] ?? 'nothing', expected);
      assert.equal(found.length, 1, found.join('\n'));
    });
  }

  it('[OPS-6] is refused where owners are named in another way', () => {
    const owner = 'access: { owner: owner }';
    const [before, after] = [loadItems(owned, owner), loadItems(owned, owner, ', api_keys: true')];
    assert.deepEqual(neighbourProblems(profileModel(before), after), [
      'owner fields name callers in another way: stop all instances and apply it without --phase',
    ]);
  });

  it('[OPS-6] is not refused for what instances of both do not see of each other', () => {
    const before = status('NEW, SOLD', 'NEW: [SOLD], SOLD: []');
    const [properties, rest] = before;
    const next: Items = [`${properties}, note: { type: string, maxLength: 9 }`, `${rest}\n    indexes: [note]`];
    assert.deepEqual(problems(before, next), []);
  });
});
