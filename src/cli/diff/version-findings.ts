import { versionText } from '../../conventions/versioning.ts';
import type { ModelProblem } from '../../model/document/model-error.ts';
import { neededPart } from '../../model/diff/needed-version.ts';
import { describeDifference, versionOf } from './diff-report.ts';
import type { ComparedModels } from './model-pair.ts';

/** The findings on the version of a model, compared with the published one. */
interface VersionFindings {
  readonly problems: readonly ModelProblem[];
  readonly warnings: readonly string[];
}

/** The findings on a version that is high enough. */
export const NO_FINDINGS: VersionFindings = { problems: [], warnings: [] };

/** Differences that a message names, at most. */
const MAX_NAMED = 5;

/**
 * A breaking change without a new major version, an addition without a new minor one and a version below the published one are errors (VER-6). A change of
 * behaviour alone without a new patch is a warning: clients cannot depend on the difference.
 */
export function versionFindings(compared: ComparedModels): VersionFindings {
  const { was, is, differences, clients, verdict } = compared;
  if (verdict.isEnough) return NO_FINDINGS;
  const lowest = versionText(verdict.lowest);
  const published = `the published version ${versionOf(was)}`;
  if (verdict.isLower) {
    return problem(is.file, `version ${versionOf(is)} is lower than ${published}`, `write ${lowest} or a higher one`);
  }
  const reasons = differences.filter((each) => neededPart(each, clients) === verdict.needs).map(describeDifference);
  const named = reasons.slice(0, MAX_NAMED).join('; ');
  const more = reasons.length > MAX_NAMED ? `; and ${reasons.length - MAX_NAMED} more` : '';
  const cause = `version ${versionOf(is)} is too low for the changes since ${published}: ${named}${more}`;
  if (verdict.needs === 'patch') return { problems: [], warnings: [`${cause}; write ${lowest}`] };
  return problem(
    is.file,
    cause,
    `write version: ${lowest}, or undo the changes; \`restwright diff\` lists all of them`,
  );
}

function problem(file: string, cause: string, fix: string): VersionFindings {
  return { problems: [{ file, line: 0, column: 0, path: 'version', cause, fix }], warnings: [] };
}
