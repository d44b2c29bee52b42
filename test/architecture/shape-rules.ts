import { vagueNames, MAX_FILE_LINES, MAX_FUNCTION_LINES } from './layout.ts';
import type { Finding } from './finding.ts';
import type { Source } from './source.ts';

const suppression = /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable|biome-ignore/;

/** In a test of types, what must not compile is what is asserted. */
const assertion = /^\s*@ts-expect-error \S/;
const ofTypes = /^test\/types\//;

/** How a file is written, wherever it lies: no `any`, no silenced check. */
export function disciplineFindings({ path, anys, comments }: Source): readonly Finding[] {
  return [
    ...anys.map(({ line }) => ({
      file: path,
      line,
      rule: 'any',
      message: '`any` switches the checks off: write the type, or `unknown` and narrow it',
    })),
    ...comments
      .filter(({ name }) => suppression.test(name) && !(ofTypes.test(path) && assertion.test(name)))
      .map(({ name, line }) => ({
        file: path,
        line,
        rule: 'suppression',
        message: `${suppression.exec(name)?.[0]} hides a fault: mend what it complains of`,
      })),
  ];
}

/** How large a file of src/ and its functions are. */
export function sizeFindings({ path, lines, functions }: Source): readonly Finding[] {
  const long = functions.filter((each) => each.lines > MAX_FUNCTION_LINES);
  return [
    ...(lines > MAX_FILE_LINES
      ? [
          {
            file: path,
            line: lines,
            rule: 'size',
            message: `${lines} lines, at most ${MAX_FILE_LINES}: split it by what it holds`,
          },
        ]
      : []),
    ...(path.startsWith('src/testing/') ? [] : long).map((each) => ({
      file: path,
      line: each.line,
      rule: 'size',
      message: `${each.name} has ${each.lines} lines, at most ${MAX_FUNCTION_LINES}: name its steps`,
    })),
  ];
}

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*$/;

/** How a path is called: kebab-case, and no word that fits every file. */
export function nameFindings(path: string): readonly Finding[] {
  const at = { file: path, line: 1, rule: 'names' };
  return path.split('/').flatMap((part): readonly Finding[] => {
    const stem = part.split('.')[0] ?? part;
    if (vagueNames.includes(stem)) return [{ ...at, message: `'${stem}' fits anything: name it for what it holds` }];
    if (!kebab.test(part)) return [{ ...at, message: `'${part}' is not kebab-case` }];
    return [];
  });
}
