/** Bars on a common scale. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** True for the accent color. */
  readonly highlighted: boolean;
}

const COLUMNS = 2;
const WIDTH = 460;
const NAME_WIDTH = 120;
const VALUE_WIDTH = 60;
const LINE_HEIGHT = 16;
const BAR_HEIGHT = 11;
const GAP = 34;

const STYLE = `text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 } .name { text-anchor: end }
rect { fill: #afb8c1 } .highlighted { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #57606a } .highlighted { fill: #4493f8 } }`;

/** Renders a bar chart as SVG, in two columns, for light and dark pages. Each group is scaled to its longest bar. */
export function chart(groups: readonly BarGroup[], label: string): string {
  const perColumn = Math.ceil(groups.length / COLUMNS);
  const columns = Array.from({ length: COLUMNS }, (_, column) =>
    renderColumn(groups.slice(column * perColumn, (column + 1) * perColumn), column * (WIDTH + GAP)),
  );
  const height = Math.max(...columns.map((column) => column.height));
  const box = `0 0 ${COLUMNS * (WIDTH + GAP) - GAP} ${height}`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" role="img" aria-label="${escapeXml(label)}">`;
  return [head, `<style>${STYLE}</style>`, ...columns.flatMap(({ shapes }) => shapes), '</svg>', ''].join('\n');
}

function renderColumn(
  groups: readonly BarGroup[],
  left: number,
): { readonly shapes: readonly string[]; readonly height: number } {
  const shapes: string[] = [];
  let y = 0;
  for (const { title, bars } of groups) {
    shapes.push(`<text class="title" x="${left}" y="${y + BAR_HEIGHT}">${escapeXml(title)}</text>`);
    const largest = Math.max(...bars.map(({ value }) => value));
    for (const bar of bars) {
      y += LINE_HEIGHT;
      shapes.push(...renderBar(bar, bar.value / largest, left, y));
    }
    y += GAP;
  }
  return { shapes, height: y - GAP + LINE_HEIGHT };
}

function renderBar({ name, value, highlighted }: Bar, share: number, left: number, y: number): readonly string[] {
  const start = left + NAME_WIDTH;
  const length = Math.max(1, Math.round(share * (WIDTH - NAME_WIDTH - VALUE_WIDTH)));
  const attributes = highlighted ? ' class="highlighted"' : '';
  return [
    `<text class="name" x="${start - 6}" y="${y + BAR_HEIGHT}">${escapeXml(name)}</text>`,
    `<rect${attributes} x="${start}" y="${y + 1}" width="${length}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<text x="${start + length + 5}" y="${y + BAR_HEIGHT}">${Math.round(value).toLocaleString('en-US')}</text>`,
  ];
}

/** Escapes text for the content and the quoted attributes of XML. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
