import { escapeXml } from '../compare/chart.ts';

/** A line of a chart. */
export interface ChartLine {
  readonly name: string;
  /** One value for each mark of the horizontal axis, greater than 0. */
  readonly values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 76;
const RIGHT = 224;
const TOP = 12;
const BOTTOM = 28;
/** Least distance between the names of two lines. */
const NAME_DISTANCE = 14;
const COLOURS: readonly string[] = [
  '#0969da',
  '#1a7f37',
  '#bc4c00',
  '#8250df',
  '#cf222e',
  '#6e7781',
  '#bf3989',
  '#9a6700',
  '#0a7ea4',
  '#d4a72c',
];

const STYLE = `text { font: 12px system-ui, sans-serif; fill: #1f2328 } .axis { text-anchor: middle } .value { text-anchor: end }
path { fill: none; stroke-width: 2 } line { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } line { stroke: #3d444d } }`;

/**
 * Renders lines over the marks of a horizontal axis as SVG, for light and dark pages. The vertical axis is logarithmic.
 */
export function lineChart(lines: readonly ChartLine[], marks: readonly string[], label: string): string {
  const exponents = lines.flatMap(({ values }) => values.map((value) => Math.log10(Math.max(value, 1))));
  const [lowest, highest] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))];
  const x = (index: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * index) / Math.max(1, marks.length - 1);
  const y = (value: number): number =>
    TOP + ((HEIGHT - TOP - BOTTOM) * (highest - Math.log10(Math.max(value, 1)))) / Math.max(1, highest - lowest);
  const powers = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(label)}">`,
    `<style>${STYLE}</style>`,
    ...powers.flatMap((power) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(power)}" y2="${y(power)}"/>`,
      `<text class="value" x="${LEFT - 6}" y="${y(power) + 4}">${power.toLocaleString('en')}</text>`,
    ]),
    ...marks.map((mark, index) => `<text class="axis" x="${x(index)}" y="${HEIGHT - 8}">${escapeXml(mark)}</text>`),
    ...lines.map(({ values }, index) => renderLine(values, pickColour(index), x, y)),
    ...renderNames(lines, y),
    '</svg>',
    '',
  ].join('\n');
}

function pickColour(index: number): string {
  return COLOURS[index % COLOURS.length] ?? '';
}

function renderLine(
  values: readonly number[],
  colour: string,
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  return `<path stroke="${colour}" d="M${points.join('L')}"/>`;
}

/** The names at the ends of the lines, moved down where two would overlap. */
function renderNames(lines: readonly ChartLine[], y: (value: number) => number): readonly string[] {
  let lowest = -Infinity;
  return lines
    .map(({ name, values }, index) => ({ name, colour: pickColour(index), end: y(values.at(-1) ?? 1) }))
    .sort((one, other) => one.end - other.end)
    .map(({ name, colour, end }) => {
      lowest = Math.max(end, lowest + NAME_DISTANCE);
      return `<text x="${WIDTH - RIGHT + 8}" y="${(lowest + 4).toFixed(1)}" style="fill: ${colour}">${escapeXml(name)}</text>`;
    });
}
