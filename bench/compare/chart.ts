/** Bars that are compared with each other. */
export interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Whether it is the one that the picture is about. */
  readonly ours: boolean;
}

const COLUMNS = 2;
const WIDTH = 460;
const NAMES = 120;
const NUMBERS = 60;
const LINE = 16;
const BAR = 11;
const GAP = 34;

const STYLE = `text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 } .name { text-anchor: end }
rect { fill: #afb8c1 } .ours { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #57606a } .ours { fill: #4493f8 } }`;

/** A picture of bars as SVG, in two columns, for light and dark pages. In each group the longest bar is as long as there is room. */
export function chart(groups: readonly Group[], label: string): string {
  const perColumn = Math.ceil(groups.length / COLUMNS);
  const columns = Array.from({ length: COLUMNS }, (_, column) =>
    stacked(groups.slice(column * perColumn, (column + 1) * perColumn), column * (WIDTH + GAP)),
  );
  const height = Math.max(...columns.map((column) => column.height));
  const box = `0 0 ${COLUMNS * (WIDTH + GAP) - GAP} ${height}`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" role="img" aria-label="${escaped(label)}">`;
  return [head, `<style>${STYLE}</style>`, ...columns.flatMap(({ shapes }) => shapes), '</svg>', ''].join('\n');
}

function stacked(
  groups: readonly Group[],
  left: number,
): { readonly shapes: readonly string[]; readonly height: number } {
  const shapes: string[] = [];
  let y = 0;
  for (const { title, bars } of groups) {
    shapes.push(`<text class="title" x="${left}" y="${y + BAR}">${escaped(title)}</text>`);
    const largest = Math.max(...bars.map(({ value }) => value));
    for (const bar of bars) {
      y += LINE;
      shapes.push(...drawn(bar, bar.value / largest, left, y));
    }
    y += GAP;
  }
  return { shapes, height: y - GAP + LINE };
}

function drawn({ name, value, ours }: Bar, share: number, left: number, y: number): readonly string[] {
  const start = left + NAMES;
  const length = Math.max(1, Math.round(share * (WIDTH - NAMES - NUMBERS)));
  const kind = ours ? ' class="ours"' : '';
  return [
    `<text class="name" x="${start - 6}" y="${y + BAR}">${escaped(name)}</text>`,
    `<rect${kind} x="${start}" y="${y + 1}" width="${length}" height="${BAR}" rx="2"/>`,
    `<text x="${start + length + 5}" y="${y + BAR}">${Math.round(value).toLocaleString('en-US')}</text>`,
  ];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
