import type { TerminalStep } from './record-terminal.ts';

/** Characters in a line. */
const COLUMNS = 98;
/** Pixels. */
const CHARACTER = 8.45;
const LINE = 20;
const PADDING = 22;
const BAR = 34;
/** Seconds: for a character that is typed, until an answer, and between two steps. */
const TYPED = 0.016;
const ANSWER = 0.4;
const PAUSE = 1.3;

const STYLE = `
svg{color-scheme:light dark;--page:#ffffff;--bar:#f1efeb;--line:#dcd8d0;--text:#1f1e1b;--muted:#605d56;--good:#1f6b3f;--bad:#a5301d;--accent:#285e8e}
@media (prefers-color-scheme:dark){svg{--page:#15171a;--bar:#1f2328;--line:#343a41;--text:#e9e7e3;--muted:#a8a59f;--good:#7fcf9d;--bad:#f0a08f;--accent:#8fbce6}}
text{font:14px ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:var(--muted)}
.command{fill:var(--text);font-weight:600}
.prompt{fill:var(--accent)}
.good{fill:var(--good);font-weight:600}
.bad{fill:var(--bad);font-weight:600}
`;

/** A line of the picture. */
interface Line {
  readonly kind: 'command' | 'more' | 'output';
  readonly text: string;
  /** Seconds, when it begins and when it is complete. */
  readonly start: number;
  readonly end: number;
}

/**
 * Draws the steps as an SVG without a script: the commands are typed, the answers appear, once. All lines stand at once
 * where motion is reduced. So they do in the variant that is still, for browsers that do not pass the preference on to
 * images.
 */
export function drawTerminal(steps: readonly TerminalStep[], motion: 'animated' | 'still'): string {
  const { lines, end } = layOut(steps);
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * PADDING, BAR + lines.length * LINE + PADDING];
  const all = steps.flatMap(({ command, output }) => [`$ ${command}`, ...output]).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title text">
<title id="title">A terminal: a CSV file is served, a request is repeated with its idempotency key, and a change with an old ETag is refused</title>
<desc id="text">${escape(all)}</desc>
<style>${STYLE}${motion === 'still' ? '' : animation(lines, end)}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="var(--page)" stroke="var(--line)"/>
<path d="M.5 ${BAR - 8}v-15.5a10 10 0 0 1 10-10h${width - 21}a10 10 0 0 1 10 10v15.5z" fill="var(--bar)" stroke="var(--line)"/>
${[20, 38, 56].map((x) => `<circle cx="${x}" cy="13" r="5" fill="var(--line)"/>`).join('')}
${lines.map(drawLine).join('\n')}
</svg>
`;
}

function animation(lines: readonly Line[], end: number): string {
  const states = lines.map((line, index) => keyframes(line, index, end)).join('\n');
  return `@media (prefers-reduced-motion:no-preference){text{animation:${end.toFixed(1)}s both}\n${states}}\n`;
}

/** Wraps the lines, and gives each its time. */
function layOut(steps: readonly TerminalStep[]): { readonly lines: readonly Line[]; readonly end: number } {
  const lines: Line[] = [];
  let time = 0.5;
  for (const { command, output } of steps) {
    for (const [index, text] of wrap(command, COLUMNS - 2).entries()) {
      const end = time + text.length * TYPED;
      lines.push({ kind: index === 0 ? 'command' : 'more', text, start: time, end });
      time = end;
    }
    time += ANSWER;
    for (const text of output.flatMap((line) => wrap(line, COLUMNS)))
      lines.push({ kind: 'output', text, start: time, end: time });
    time += PAUSE;
  }
  return { lines, end: time };
}

/** Splits a line as terminals do. */
function wrap(text: string, columns: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at === 0 || at < text.length; at += columns) parts.push(text.slice(at, at + columns));
  return parts;
}

/** Hides a line until its time, in percent of the whole. */
function keyframes({ kind, text, start, end }: Line, index: number, whole: number): string {
  const percent = (seconds: number): string => `${((seconds / whole) * 100).toFixed(2)}%`;
  const selector = `#l${index}{animation-name:l${index}}`;
  if (kind === 'output')
    return `${selector}@keyframes l${index}{0%,${percent(start)}{opacity:0}${percent(start + 0.01)},to{opacity:1}}`;
  const hidden = 'clip-path:inset(0 100% 0 0)';
  const typing = `animation-timing-function:steps(${text.length})`;
  return `${selector}@keyframes l${index}{0%{${hidden}}${percent(start)}{${hidden};${typing}}${percent(end)},to{clip-path:inset(-4px)}}`;
}

function drawLine({ kind, text }: Line, index: number): string {
  const place = `id="l${index}" x="${PADDING}" y="${BAR + index * LINE + 15}"`;
  if (kind === 'command')
    return `<text ${place} class="command"><tspan class="prompt">$ </tspan>${escape(text)}</text>`;
  if (kind === 'more') return `<text ${place} class="command">  ${escape(text)}</text>`;
  const [, status = ''] = /^HTTP\/1\.1 (\d)/.exec(text) ?? [];
  const colour = status === '' ? '' : status < '4' ? ' class="good"' : ' class="bad"';
  return `<text ${place}${colour}>${escape(text)}</text>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
