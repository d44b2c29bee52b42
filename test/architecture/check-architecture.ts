import { docPathFindings } from './doc-paths.ts';
import type { Finding } from './finding.ts';
import { docs, STORE_SUITE } from './layout.ts';
import { browserFindings, cycleFindings, libraryFindings, folderFindings } from './import-rules.ts';
import { columnFindings, functionNameFindings, grammarFindings, proseFindings } from './grammar-rules.ts';
import { restrictionFindings } from './restriction-rules.ts';
import { disciplineFindings, nameFindings, sizeFindings, typeNameFindings } from './shape-rules.ts';
import { parseSource, type Source } from './source.ts';
import { stateFindings } from './state-rules.ts';
import { wordFindings } from './word-rules.ts';

/** The text of each file by its path in the checkout, and the dependencies of the published package. */
export interface Checkout {
  readonly files: Readonly<Record<string, string>>;
  readonly dependencies: ReadonlySet<string>;
}

/** Declarations that `restwright client` writes, in its own words. */
const GENERATED = 'test/client/declarations/';

/** Every violation of an architecture rule, by file and line. */
export function checkArchitecture({ files, dependencies }: Checkout): readonly Finding[] {
  const paths = Object.keys(files).sort();
  const { sources, unreadable } = read(files, paths);
  const src = sources.filter(({ path }) => path.startsWith('src/') || path.startsWith(`${STORE_SUITE}/`));
  const written = sources.filter(({ path }) => !path.startsWith(GENERATED));
  const findings = [
    ...unreadable,
    ...folderFindings(src),
    ...cycleFindings(src),
    ...browserFindings(src),
    ...libraryFindings(src, dependencies),
    ...src.flatMap(restrictionFindings),
    ...src.flatMap(stateFindings),
    ...src.flatMap(sizeFindings),
    ...typeNameFindings(src),
    ...sources.flatMap(disciplineFindings),
    ...sources.flatMap(({ path }) => nameFindings(path)),
    ...paths.flatMap(docNameFindings),
    ...docPathFindings(files),
    ...paths.flatMap((path) => wordFindings(path, files[path] ?? '')),
    ...written.flatMap(grammarFindings),
    ...written.flatMap((source) => columnFindings(source, files[source.path] ?? '')),
    ...functionNameFindings(src),
    ...paths.flatMap((path) => proseFindings(path, files[path] ?? '')),
  ];
  return findings.sort((a, b) => a.file.localeCompare(b.file, 'en') || a.line - b.line);
}

function read(files: Checkout['files'], paths: readonly string[]) {
  const sources: Source[] = [];
  const unreadable: Finding[] = [];
  for (const path of paths.filter((each) => each.endsWith('.ts'))) {
    try {
      sources.push(parseSource(path, files[path] ?? ''));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      unreadable.push({ file: path, line: 1, rule: 'syntax', message: error.message });
    }
  }
  return { sources, unreadable };
}

function docNameFindings(path: string): readonly Finding[] {
  const [folder, name = '', record = ''] = path.split('/');
  const at = { file: path, line: 1, rule: 'docs' };
  if (folder !== 'docs') return [];
  if (!docs.includes(name))
    return [{ ...at, message: `docs/ contains only ${docs.join(', ')}: move it into one of them` }];
  return name !== 'decisions' || /^\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.test(record)
    ? []
    : [{ ...at, message: 'name the decision record NNNN-title.md' }];
}
