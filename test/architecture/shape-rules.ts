import { MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_PARAMETERS, vagueNames } from './layout.ts';
import type { Finding } from './finding.ts';
import type { Source } from './source.ts';

const suppression = /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable|biome-ignore/;

/** Tests of types assert compile errors. */
const assertion = /^\s*@ts-expect-error \S/;
const typeTests = /^test\/types\//;

/** No `any`, and no suppressed check. */
export function disciplineFindings({ path, anys, comments }: Source): readonly Finding[] {
  return [
    ...anys.map(({ line }) => ({
      file: path,
      line,
      rule: 'any',
      message: '`any` disables type checks: declare the type, or use `unknown` and narrow it',
    })),
    ...comments
      .filter(({ name }) => suppression.test(name) && !(typeTests.test(path) && assertion.test(name)))
      .map(({ name, line }) => ({
        file: path,
        line,
        rule: 'suppression',
        message: `${suppression.exec(name)?.[0]} hides an error: fix the code instead`,
      })),
  ];
}

/** The sizes of files in src/, of their functions and of their parameter lists. */
export function sizeFindings({ path, lines, functions }: Source): readonly Finding[] {
  const long = functions.filter((each) => each.lines > MAX_FUNCTION_LINES);
  const wide = functions.filter((each) => each.parameters > MAX_PARAMETERS);
  return [
    ...(lines > MAX_FILE_LINES
      ? [
          {
            file: path,
            line: lines,
            rule: 'size',
            message: `${lines} lines, at most ${MAX_FILE_LINES}: split it by topic`,
          },
        ]
      : []),
    ...(path.startsWith('store-suite/') ? [] : long).map((each) => ({
      file: path,
      line: each.line,
      rule: 'size',
      message: `${each.name} has ${each.lines} lines, at most ${MAX_FUNCTION_LINES}: extract its steps`,
    })),
    ...wide.map((each) => ({
      file: path,
      line: each.line,
      rule: 'size',
      message: `${each.name} has ${each.parameters} parameters, at most ${MAX_PARAMETERS}: group those that belong together`,
    })),
  ];
}

/** One type name, one meaning: a name that two files of src/ declare. */
export function typeNameFindings(sources: readonly Source[]): readonly Finding[] {
  const files = new Map<string, string>();
  return sources.flatMap(({ path, types }) =>
    [...new Map(types.map((type) => [type.name, type])).values()].flatMap(({ name, line }): readonly Finding[] => {
      const other = files.get(name);
      files.set(name, other ?? path);
      const message = `${other} declares a type ${name} too: name each for what it is`;
      return other === undefined ? [] : [{ file: path, line, rule: 'names', message }];
    }),
  );
}

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*$/;

/** Paths are in kebab-case, without names that fit any file. */
export function nameFindings(path: string): readonly Finding[] {
  const at = { file: path, line: 1, rule: 'names' };
  return path.split('/').flatMap((part): readonly Finding[] => {
    const stem = part.split('.')[0] ?? part;
    if (vagueNames.includes(stem)) return [{ ...at, message: `'${stem}' fits any file: name it for its content` }];
    if (!kebab.test(part)) return [{ ...at, message: `'${part}' is not kebab-case` }];
    return [];
  });
}
