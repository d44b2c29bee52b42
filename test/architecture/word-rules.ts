import { findBannedWords } from './banned-words.ts';
import type { Finding } from './finding.ts';

/** Sources, and the pages that users read. Decisions and the specification may quote older texts. */
const CHECKED = /^(?:src\/.+\.ts|README\.md|CHANGELOG\.md|docs\/guides\/.+\.md|docs\/[^/]+\.md)$/;

/** Members of the `--json` results of the command line, which scripts depend on. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/cli/commands/check.ts': ['faults'],
  'src/cli/import/import-report.ts': ['fault', 'faults', 'faulty'],
};

/**
 * Banned words in code, comments, messages and pages. Inline code in a page is a quotation, such as a former name in
 * the changelog.
 */
export function wordFindings(path: string, text: string): readonly Finding[] {
  if (!CHECKED.test(path)) return [];
  const prose = path.endsWith('.md') ? text.replaceAll(/`[^`\n]*`/g, '') : text;
  return prose.split('\n').flatMap((line, index) =>
    findBannedWords(line)
      .filter((word) => ALLOWED[path]?.includes(word) !== true)
      .map((word) => ({
        file: path,
        line: index + 1,
        rule: 'words',
        message: `'${word}' is a banned word: use the common technical term, see docs/glossary.md`,
      })),
  );
}
