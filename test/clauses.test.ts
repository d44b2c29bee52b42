import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseSource } from './architecture/source.ts';

const root = path.dirname(import.meta.dirname);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Clauses of a specification: the rows of its tables whose first cell is an id. */
function clausesOf(contract: string): readonly string[] {
  return [...contract.matchAll(/^\| ([A-Z]+-\d+) +\|/gm)].flatMap(([, id]) => id ?? []);
}

interface Planned {
  readonly id: string;
  readonly partly: boolean;
  /** What is missing, and what it waits for. */
  readonly what: string;
}

/** The list items of the plan; one that is not written like the others has no id. */
function plannedIn(plan: string): readonly Planned[] {
  return [...plan.matchAll(/^- (.*)$/gm)].map(([, line = '']) => {
    const [, id = '', partly, what = ''] = /^([A-Z]+-\d+)( \(partly\))?: (.+)$/.exec(line) ?? [];
    return { id, partly: partly !== undefined, what };
  });
}

/** The clauses that a test file names: at the head of a title, one after the other, `[URL-3] [URL-4] ...`. */
function namedIn(file: string, text: string): readonly string[] {
  return parseSource(file, text).texts.flatMap(({ name }) => {
    const [head = ''] = /^(?:\[[A-Z]+-\d+(?:, [A-Z]+-\d+)*\] ?)+/.exec(name) ?? [];
    return head.match(/[A-Z]+-\d+/g) ?? [];
  });
}

/** Everything that is wrong between a contract, its plan and the tests, a line each. */
function disorder(
  contract: readonly string[],
  plan: readonly Planned[],
  tested: ReadonlySet<string>,
): readonly string[] {
  const faults: string[] = [];
  const inPlan = new Map(plan.map((line) => [line.id, line]));
  for (const id of contract) {
    const planned = inPlan.get(id);
    if (planned === undefined && !tested.has(id)) faults.push(`${id} is in no test title and not in planned.md`);
    if (planned?.partly === true && !tested.has(id))
      faults.push(`${id} is planned as partly served, but in no test title`);
    if (planned?.partly === false && tested.has(id))
      faults.push(`${id} is tested: take it out of planned.md, or mark it (partly)`);
  }
  const known = new Set(contract);
  for (const id of tested) if (!known.has(id)) faults.push(`${id} is in a test title, but no clause`);
  for (const { id, what } of plan)
    if (!known.has(id)) faults.push(`planned.md: '${id || what || 'a line'}' is no clause`);
  if (inPlan.size !== plan.length) faults.push('planned.md names a clause twice');
  const order = plan.filter(({ id }) => known.has(id)).map(({ id }) => contract.indexOf(id));
  if (order.some((place, index) => place < (order[index - 1] ?? 0)))
    faults.push('planned.md is not in the order of the contract');
  return faults;
}

describe('the clauses of the contract', () => {
  it('are each named by a test or planned, and the plan names nothing else', () => {
    const contract = clausesOf(read('docs/specification/contract.md'));
    assert.ok(contract.length > 80, 'the tables of the contract are found');
    const files = globSync(['test/**/*.test.ts', 'src/testing/**/*.ts'], { cwd: root });
    const tested = new Set(files.flatMap((file) => namedIn(file, read(file))));
    const plan = plannedIn(read('docs/specification/planned.md'));
    assert.equal(disorder(contract, plan, tested).join('\n'), '');
  });
});

describe('the judge of clauses', () => {
  const contract = clausesOf('| id | clause |\n| URL-1 | a |\n| URL-2  | b |\n| MET-1 | c |\nsee URL-9 | d |');
  const judged = (plan: string, ...tested: string[]) => disorder(contract, plannedIn(plan), new Set(tested));

  const rows: readonly (readonly [
    title: string,
    plan: string,
    tested: readonly string[],
    faults: readonly string[],
  ])[] = [
    ['accepts a clause in one place', '- MET-1: later', ['URL-1', 'URL-2'], []],
    ['accepts a part in both', '- URL-2 (partly): the rest\n- MET-1: later', ['URL-1', 'URL-2'], []],
    ['finds a clause in neither', '- MET-1: later', ['URL-1'], ['URL-2 is in no test title and not in planned.md']],
    [
      'finds a clause in both',
      '- URL-2: later\n- MET-1: later',
      ['URL-1', 'URL-2'],
      ['URL-2 is tested: take it out of planned.md, or mark it (partly)'],
    ],
    [
      'finds a part without a test',
      '- URL-2 (partly): x\n- MET-1: later',
      ['URL-1'],
      ['URL-2 is planned as partly served, but in no test title'],
    ],
    [
      'finds a title without a clause',
      '- MET-1: x',
      ['URL-1', 'URL-2', 'URL-9'],
      ['URL-9 is in a test title, but no clause'],
    ],
    [
      'finds a plan without a clause',
      '- MET-1: x\n- MET-7: y',
      ['URL-1', 'URL-2'],
      ["planned.md: 'MET-7' is no clause"],
    ],
    ['finds a line that says nothing', '- MET-1', ['URL-1', 'URL-2', 'MET-1'], ["planned.md: 'a line' is no clause"]],
    ['finds a line twice', '- MET-1: x\n- MET-1: y', ['URL-1', 'URL-2'], ['planned.md names a clause twice']],
    [
      'finds a plan out of order',
      '- MET-1: x\n- URL-1: y',
      ['URL-2'],
      ['planned.md is not in the order of the contract'],
    ],
  ];
  for (const [title, plan, tested, faults] of rows) it(title, () => assert.deepEqual(judged(plan, ...tested), faults));

  it('reads clauses at the head of titles, in templates too, and nowhere else', () => {
    const text = [
      "it('[URL-1] [URL-2] splits', f);",
      'it(`[MET-1, MET-2] answers ${status}`, f);',
      "it('splits [URL-3]', f);",
      '// it("[URL-4] x")',
    ];
    assert.deepEqual(namedIn('test/a.test.ts', text.join('\n')), ['URL-1', 'URL-2', 'MET-1', 'MET-2']);
  });
});
