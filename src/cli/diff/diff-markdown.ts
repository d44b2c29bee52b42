import type { Difference } from '../../model/diff/difference.ts';
import { versionText } from '../../conventions/versioning.ts';
import { describeEffect, comparedVersionText } from './diff-report.ts';
import type { ComparedModels } from './model-pair.ts';

const SECTIONS = ['Breaking', 'May break strict clients', 'Added', 'Other'] as const;

type SectionName = (typeof SECTIONS)[number];

/** The differences as a section of a changelog in Markdown. */
export function diffMarkdown(compared: ComparedModels): string {
  const { was, is, differences, notes, verdict } = compared;
  const sections = Map.groupBy(differences, chooseSection);
  const lines = [
    `## ${comparedVersionText(is)}`,
    '',
    `Changes since ${comparedVersionText(was)}.`,
    ...(verdict.isEnough ? [] : ['', `**They need version ${versionText(verdict.lowest)}.**`]),
    ...SECTIONS.flatMap((name) => writeSection(name, (sections.get(name) ?? []).map(writeItem))),
    ...writeSection('Not compared', notes.map(escape)),
    '',
  ];
  return lines.join('\n');
}

function writeSection(heading: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : ['', `### ${heading}`, '', ...items.map((each) => `- ${each}`)];
}

/** Paths have no backticks. */
function writeItem(difference: Difference): string {
  const { path } = difference;
  return `${path === '' ? '' : `\`${path}\`: `}${escape(describeEffect(difference))}`;
}

function chooseSection({ requests, responses }: Difference): SectionName {
  const impacts = [requests, responses];
  if (impacts.includes('breaking')) return 'Breaking';
  if (impacts.includes('possibly-breaking')) return 'May break strict clients';
  return impacts.includes('compatible') ? 'Added' : 'Other';
}

/** Text without a meaning in Markdown and HTML. */
function escape(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&|~]/g, (each) => `\\${each}`);
}
