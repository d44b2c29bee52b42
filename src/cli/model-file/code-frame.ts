import type { SourcePosition } from '../../model/document/model-error.ts';

/** Lines before the one that is shown. */
const BEFORE = 1;
/** Characters of a line that are shown. */
const WIDTH = 100;

/**
 * The lines of a document around a position, with a mark under it:
 *
 *     6 |       properties:
 *     7 |         a: { type: decimal }
 *       |              ^
 *
 * @returns no lines for a position outside of the text
 */
export function codeFrame(text: string, { line, column }: SourcePosition): readonly string[] {
  const lines = text.split('\n', line);
  if (line < 1 || lines.length < line) return [];
  const margin = String(line).length;
  const start = (lines.at(-1)?.length ?? 0) <= WIDTH ? 0 : Math.max(0, column - WIDTH / 2);
  const shown = lines.slice(Math.max(0, line - 1 - BEFORE)).map((source, index, all) => {
    const number = String(line - all.length + index + 1).padStart(margin);
    return `  ${number} | ${source
      .replaceAll('\t', ' ')
      .slice(start, start + WIDTH)
      .trimEnd()}`;
  });
  return [...shown, `  ${' '.repeat(margin)} | ${' '.repeat(Math.max(0, column - 1 - start))}^`];
}
