import { docPathFindings } from './doc-paths.ts';
import type { Finding } from './finding.ts';
import { docs } from './layout.ts';
import { browserFindings, cycleFindings, libraryFindings, folderFindings } from './import-rules.ts';
import { restrictionFindings } from './restriction-rules.ts';
import { disciplineFindings, nameFindings, sizeFindings } from './shape-rules.ts';
import { parseSource, type Source } from './source.ts';

/** What is judged: the text of each file by its path from the checkout, and the packages that the published manifest depends on. */
export interface Checkout {
  readonly files: Readonly<Record<string, string>>;
  readonly dependencies: ReadonlySet<string>;
}

/** Every place of a checkout that breaks a rule of the house, file by file. */
export function checkArchitecture({ files, dependencies }: Checkout): readonly Finding[] {
  const paths = Object.keys(files).sort();
  const { sources, unreadable } = read(files, paths);
  const src = sources.filter(({ path }) => path.startsWith('src/'));
  const findings = [
    ...unreadable,
    ...folderFindings(src),
    ...cycleFindings(src),
    ...browserFindings(src),
    ...libraryFindings(src, dependencies),
    ...src.flatMap(restrictionFindings),
    ...src.flatMap(sizeFindings),
    ...sources.flatMap(disciplineFindings),
    ...sources.flatMap(({ path }) => nameFindings(path)),
    ...paths.flatMap(docFindings),
    ...docPathFindings(files),
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

function docFindings(path: string): readonly Finding[] {
  const [folder, name = '', record = ''] = path.split('/');
  const at = { file: path, line: 1, rule: 'docs' };
  if (folder !== 'docs') return [];
  if (!docs.includes(name)) return [{ ...at, message: `docs/ holds ${docs.join(', ')}: move it into one of them` }];
  return name !== 'decisions' || /^\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.test(record)
    ? []
    : [{ ...at, message: 'a decision record is called NNNN-title.md' }];
}
