import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseSource } from './architecture/source.ts';
import { missingPromises, plannedPromises, readPromises } from './cli/promised-commands.ts';

const root = path.dirname(import.meta.dirname);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The numbers of the changes in the third edition of the contract. */
const CHANGES = { first: 46, last: 69 };

/**
 * The clauses of a specification by id, each with the ids of its parts: the rows of its tables whose first cell is an
 * id.
 */
type Clauses = ReadonlyMap<string, readonly string[]>;

function readClauses(contract: string): Clauses {
  const rows = [...contract.matchAll(/^\| ([A-Z]+-\d+) +\|(.*)$/gm)];
  return new Map(rows.map(([, id = '', text = '']) => [id, readParts(id, text)]));
}

/** `REP-9a`, `REP-9b`, ... by the marks in the text of a clause; the clause itself if it has none. */
function readParts(id: string, text: string): readonly string[] {
  const letters = [...text.matchAll(/ \(([a-z])\) /g)].map(([, letter = '']) => letter);
  return letters.length === 0 ? [id] : letters.map((letter) => `${id}${letter}`);
}

interface Planned {
  readonly id: string;
  readonly partly: boolean;
  /** The missing part. */
  readonly what: string;
}

/** The items of the first list of the plan, without those of the command line. An item of another form has no id. */
function plannedIn(plan: string): readonly Planned[] {
  const [list = ''] = plan.split('## Third edition');
  return [...list.matchAll(/^- (?!`restwright )(.*)$/gm)].map(([, line = '']) => {
    const [, id = '', partly, what = ''] = /^([A-Z]+-\d+[a-z]?)( \(partly\))?: (.+)$/.exec(line) ?? [];
    return { id, partly: partly !== undefined, what };
  });
}

interface Change {
  readonly number: number;
  readonly clauses: readonly { readonly id: string; readonly isNew: boolean }[];
}

/** The items of the second list of the plan. An item of another form has the number 0. */
function changesIn(plan: string): readonly Change[] {
  const [, list = ''] = plan.split('## Third edition');
  return [...list.matchAll(/^- (.*)$/gm)].map(([, line = '']) => {
    const [, number = '0', names = ''] = /^(\d+) \(([^()]+)\): .+$/.exec(line) ?? [];
    const clauses = names.split(', ').map((name) => ({ id: name.replace(/ new$/, ''), isNew: name.endsWith(' new') }));
    return { number: Number(number), clauses };
  });
}

/** The parts that a test file names: at the start of a title, in brackets: `[URL-3] [REP-9a, REP-9b] ...`. */
function namedIn(file: string, text: string): readonly string[] {
  return parseSource(file, text).texts.flatMap(({ name }) => {
    const [head = ''] = /^(?:\[[A-Z]+-\d+[a-z]?(?:, [A-Z]+-\d+[a-z]?)*\] ?)+/.exec(name) ?? [];
    return head.match(/[A-Z]+-\d+[a-z]?/g) ?? [];
  });
}

/** All contradictions between a contract, its plan and the tests, one line each. */
function findings(clauses: Clauses, plan: readonly Planned[], tested: ReadonlySet<string>): readonly string[] {
  const parts = [...clauses.values()].flat();
  return [
    ...[...clauses].flatMap(([id, own]) => markFindings(id, own)),
    ...parts.flatMap((id) => coverageFindings(id, plan, tested)),
    ...[...tested]
      .filter((id) => !parts.includes(id))
      .map((id) => `a test title names ${id}, which ${notAPart(id, clauses)}`),
    ...planFindings(parts, plan, clauses),
  ];
}

function markFindings(id: string, parts: readonly string[]): readonly string[] {
  const expected = parts.map((_, index) => `${id}${String.fromCharCode('a'.charCodeAt(0) + index)}`);
  const isMarked = parts[0] !== id;
  return isMarked && (parts.length < 2 || parts.join() !== expected.join())
    ? [`${id} has the marks ${parts.join(', ')}: use (a), (b), ... in order, two or more`]
    : [];
}

function coverageFindings(id: string, plan: readonly Planned[], tested: ReadonlySet<string>): readonly string[] {
  const planned = plan.find((line) => line.id === id);
  if (planned === undefined) return tested.has(id) ? [] : [`${id} is in no test title and not in planned.md`];
  if (planned.partly) return tested.has(id) ? [] : [`${id} is planned as partly served, but in no test title`];
  return tested.has(id) ? [`${id} is tested: remove it from planned.md, or mark it (partly)`] : [];
}

function planFindings(parts: readonly string[], plan: readonly Planned[], clauses: Clauses): readonly string[] {
  const found = plan
    .filter(({ id }) => !parts.includes(id))
    .map(({ id, what }) => `planned.md: '${id || what || 'a line'}' ${notAPart(id, clauses)}`);
  if (new Set(plan.map(({ id }) => id)).size !== plan.length) found.push('planned.md names a clause twice');
  const order = plan.map(({ id }) => parts.indexOf(id)).filter((place) => place !== -1);
  if (order.some((place, index) => place < (order[index - 1] ?? 0)))
    found.push('planned.md is not in the order of the contract');
  return found;
}

function notAPart(id: string, clauses: Clauses): string {
  const parts = clauses.get(id);
  return parts === undefined ? 'is no clause' : `has parts, name one of ${parts.join(', ')}`;
}

/** All errors in the list of changes, one line each. */
function changeFindings(clauses: Clauses, changes: readonly Change[]): readonly string[] {
  const found = changes.flatMap(({ number, clauses: changed }) =>
    changed
      .filter(({ id, isNew }) => id !== 'model' && clauses.has(id) === isNew)
      .map(({ id, isNew }) => `planned.md: change ${number}: ${id} is ${isNew ? 'in the contract' : 'no clause'}`),
  );
  const numbers = changes.map(({ number }) => number);
  if (numbers.some((number) => number < CHANGES.first || number > CHANGES.last))
    found.push(`planned.md: a change has no number from ${CHANGES.first} to ${CHANGES.last}`);
  if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0)))
    found.push('planned.md: the changes are not in ascending order, each once');
  return found;
}

describe('the clauses of the contract', () => {
  const clauses = readClauses(read('docs/specification/contract.md'));
  const plan = read('docs/specification/planned.md');

  it('are each named by a test or planned, part by part, and the plan names nothing else', () => {
    assert.ok(clauses.size > 80, 'the tables of the contract are found');
    const files = globSync(['test/**/*.test.ts', 'store-suite/**/*.ts'], { cwd: root });
    const tested = new Set(files.flatMap((file) => namedIn(file, read(file))));
    assert.equal(findings(clauses, plannedIn(plan), tested).join('\n'), '');
  });

  it('and the model promise commands, options and values that exist or are planned, and the plan has no others', async () => {
    const promises = ['contract', 'model'].flatMap((name) => readPromises(read(`docs/specification/${name}.md`)));
    assert.ok(promises.length > 40, 'the commands of the model are found');
    assert.deepEqual([...(await missingPromises(promises))].toSorted(), plannedPromises(plan).toSorted());
  });

  it('are changed by the third edition as planned.md lists it, and each new clause is new', () => {
    assert.equal(changeFindings(clauses, changesIn(plan)).join('\n'), '');
  });
});

describe('the findings on clauses', () => {
  const clauses = readClauses('| id | clause |\n| URL-1 | a |\n| URL-2  | b |\n| MET-1 | c |\nsee URL-9 | d |');
  const found = (plan: string, ...tested: string[]) => findings(clauses, plannedIn(plan), new Set(tested));

  const rows: readonly (readonly [
    title: string,
    plan: string,
    tested: readonly string[],
    expected: readonly string[],
  ])[] = [
    ['accept a clause in one place', '- MET-1: later', ['URL-1', 'URL-2'], []],
    ['accept a part in both', '- URL-2 (partly): the rest\n- MET-1: later', ['URL-1', 'URL-2'], []],
    ['report a clause in neither', '- MET-1: later', ['URL-1'], ['URL-2 is in no test title and not in planned.md']],
    [
      'report a clause in both',
      '- URL-2: later\n- MET-1: later',
      ['URL-1', 'URL-2'],
      ['URL-2 is tested: remove it from planned.md, or mark it (partly)'],
    ],
    [
      'report a partly served clause without a test',
      '- URL-2 (partly): x\n- MET-1: later',
      ['URL-1'],
      ['URL-2 is planned as partly served, but in no test title'],
    ],
    [
      'report a title without a clause',
      '- MET-1: x',
      ['URL-1', 'URL-2', 'URL-9'],
      ['a test title names URL-9, which is no clause'],
    ],
    [
      'report a plan without a clause',
      '- MET-1: x\n- MET-7: y',
      ['URL-1', 'URL-2'],
      ["planned.md: 'MET-7' is no clause"],
    ],
    ['report a line of another form', '- MET-1', ['URL-1', 'URL-2', 'MET-1'], ["planned.md: 'a line' is no clause"]],
    ['report a repeated line', '- MET-1: x\n- MET-1: y', ['URL-1', 'URL-2'], ['planned.md names a clause twice']],
    [
      'report a plan out of order',
      '- MET-1: x\n- URL-1: y',
      ['URL-2'],
      ['planned.md is not in the order of the contract'],
    ],
  ];
  for (const [title, plan, tested, expected] of rows)
    it(title, () => assert.deepEqual(found(plan, ...tested), expected));

  const parted = readClauses('| REP-9 | (a) links, (b) relations; (c) a canonical link |');
  const ofParts = (plan: string, ...tested: string[]) => findings(parted, plannedIn(plan), new Set(tested));

  it('demand a title or a plan for each part', () => {
    assert.deepEqual(ofParts('- REP-9b (partly): x\n- REP-9c: y', 'REP-9a', 'REP-9b'), []);
    assert.deepEqual(ofParts('- REP-9c: y', 'REP-9a'), ['REP-9b is in no test title and not in planned.md']);
  });

  it('reject a clause with parts as a whole', () => {
    const whole = 'has parts, name one of REP-9a, REP-9b, REP-9c';
    const expected = [`a test title names REP-9, which ${whole}`, `planned.md: 'REP-9' ${whole}`];
    assert.deepEqual(ofParts('- REP-9: x', 'REP-9', 'REP-9a', 'REP-9b', 'REP-9c'), expected);
  });

  it('report marks that are out of order, or only one', () => {
    const marked = (text: string) => findings(readClauses(`| REP-9 | ${text} |`), [], new Set(['REP-9a', 'REP-9c']));
    assert.deepEqual(marked('(a) x (c) y'), [
      'REP-9 has the marks REP-9a, REP-9c: use (a), (b), ... in order, two or more',
    ]);
    assert.match(marked('(a) x').join(), /REP-9 has the marks REP-9a:/);
  });

  it('read parts at the start of titles, in templates too, and nowhere else', () => {
    const text = [
      "it('[URL-1] [URL-2b] splits', f);",
      'it(`[MET-1, MET-2a] returns ${status}`, f);',
      "it('splits [URL-3]', f);",
      '// it("[URL-4] x")',
    ];
    assert.deepEqual(namedIn('test/a.test.ts', text.join('\n')), ['URL-1', 'URL-2b', 'MET-1', 'MET-2a']);
  });
});

describe('the promises of commands', () => {
  const table = [
    '| `restwright diff OLD NEW [--strict] [--color]` · `client [--api-version 1]` | compares |',
    '| `restwright init [--from a.csv\\|postgres://..]` / `imagine` | writes |',
    'With `--nothing`, or by `restwright check MODEL`.',
  ].join('\n');

  it('are the commands, options and values of a text', () => {
    assert.deepEqual(readPromises(table), [
      'restwright diff',
      'restwright diff --strict',
      'restwright diff --color',
      'restwright client',
      'restwright client --api-version',
      'restwright init',
      'restwright init --from',
      'restwright init --from postgres://',
      'restwright imagine',
      '--nothing',
      'restwright check',
    ]);
  });

  it('are missing where the command line has none of them', async () => {
    assert.deepEqual(await missingPromises(readPromises(table)), [
      'restwright diff --color',
      'restwright imagine',
      '--nothing',
    ]);
  });
});

describe('the findings on changes', () => {
  const clauses = readClauses('| URL-1 | a |');
  const found = (...lines: readonly string[]) =>
    changeFindings(clauses, changesIn(`- URL-1: x\n## Third edition\n${lines.join('\n')}`));

  const rows: readonly (readonly [title: string, lines: readonly string[], expected: readonly string[]])[] = [
    ['accept known and new clauses', ['- 46 (URL-1): x', '### Later', '- 48 (URL-2 new, model): y'], []],
    ['report an unknown clause', ['- 46 (URL-2): x'], ['planned.md: change 46: URL-2 is no clause']],
    [
      'report a new clause that is served',
      ['- 46 (URL-1 new): x'],
      ['planned.md: change 46: URL-1 is in the contract'],
    ],
    [
      'report a repeated change',
      ['- 47 (URL-1): x', '- 47 (URL-1): y'],
      ['planned.md: the changes are not in ascending order, each once'],
    ],
    ['report an unknown number', ['- 70 (URL-1): x'], ['planned.md: a change has no number from 46 to 69']],
  ];
  for (const [title, lines, expected] of rows) it(title, () => assert.deepEqual(found(...lines), expected));
});
