import type { StateMachine } from '../../model/model.ts';
import { type Html, html } from '../html.ts';

/** More states than a picture in a narrow column can show; the list of transitions has them all. */
const MAX_STATES = 12;
/** Pixels. A character of the monospaced font at 13 px is 7.8 wide. */
const CHARACTER = 7.9;
const PADDING = 14;
const HEIGHT = 34;
const GAP = { x: 56, y: 26 };
/** The width by which an arrow within a column swings out. */
const LOOP = 34;

interface Box {
  readonly name: string;
  readonly column: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The states of a resource: a picture, where it has few enough, and each transition with its scope. */
export function stateSection(state: StateMachine): Html {
  const { field, initial, transitions } = state;
  return html`<p>The field <code>${field}</code> starts as <code>${initial}</code>. Another change of it is 409.</p>
${transitions.size > MAX_STATES ? html`` : diagram(state)}
<ul class="transitions">
${[...transitions].map(([from, targets]) => transitionList(state, from, [...targets]))}
</ul>`;
}

function transitionList({ scopes }: StateMachine, from: string, targets: readonly string[]): Html {
  if (targets.length === 0) return html`<li><code>${from}</code> is final</li>\n`;
  const named = targets.map((to, index) => {
    const scope = scopes.get(from)?.get(to);
    return html`${index === 0 ? '' : ', '}<code>${to}</code>${scope === undefined ? '' : html` <span class="note">(${scope})</span>`}`;
  });
  return html`<li><code>${from}</code> to ${named}</li>\n`;
}

function diagram(state: StateMachine): Html {
  const boxes = layout(state);
  const width = Math.max(...boxes.map((box) => box.x + box.width)) + LOOP;
  // Arrows that go back pass below the boxes.
  const height = Math.max(...boxes.map(({ y }) => y)) + HEIGHT + GAP.y;
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const arrows = [...state.transitions].flatMap(([from, targets]) =>
    [...targets].flatMap((to) => {
      const [start, end] = [byName.get(from), byName.get(to)];
      return start === undefined || end === undefined ? [] : [arrow(start, end)];
    }),
  );
  return html`<div class="diagram" tabindex="0" role="group" aria-label="Diagram of the states">
<svg width="${Math.ceil(width)}" height="${height}" viewBox="0 0 ${Math.ceil(width)} ${height}" aria-hidden="true">
<g class="arrows">${arrows}</g>
${boxes.map((box) => boxMarkup(box, box.name === state.initial))}
</svg></div>`;
}

function boxMarkup({ name, x, y, width }: Box, isInitial: boolean): Html {
  return html`<g class="${isInitial ? 'state initial' : 'state'}"><rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" rx="17"/><text x="${x + width / 2}" y="${y + HEIGHT / 2 + 4}">${name}</text></g>
`;
}

/** Columns by the number of transitions from the initial state; states that none leads to are in the first one. */
function layout({ initial, transitions }: StateMachine): readonly Box[] {
  const columns = new Map<string, number>();
  for (const start of [initial, ...transitions.keys()]) {
    if (!columns.has(start)) columns.set(start, 0);
    // A map visits what is added to it meanwhile.
    for (const [name, column] of columns) {
      for (const to of transitions.get(name) ?? []) if (!columns.has(to)) columns.set(to, column + 1);
    }
  }
  const byColumn = Map.groupBy(columns, ([, column]) => column);
  let x = 1;
  return [...byColumn].flatMap(([column, members]) => {
    const width = Math.max(...members.map(([name]) => name.length)) * CHARACTER + 2 * PADDING;
    const left = x;
    x += width + GAP.x;
    return members.map(([name], row) => ({ name, column, x: left, y: 1 + row * (HEIGHT + GAP.y), width }));
  });
}

function arrow(from: Box, to: Box): Html {
  if (to.column > from.column) return forwards(from, to);
  return to.column === from.column ? withinColumn(from, to) : backwards(from, to);
}

/** From the right edge to the left one. */
function forwards(from: Box, to: Box): Html {
  const start = { x: from.x + from.width, y: from.y + HEIGHT / 2 };
  const [x, y] = [to.x - 2, to.y + HEIGHT / 2];
  const middle = (start.x + x) / 2;
  return curve(
    `M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${y} ${x} ${y}`,
    `M${x - 7} ${y - 4}L${x} ${y}L${x - 7} ${y + 4}`,
  );
}

/** Along the right edges of one column. */
function withinColumn(from: Box, to: Box): Html {
  const edge = from.x + from.width;
  const [x, y] = [edge + 2, to.y + HEIGHT / 2 + 6];
  const out = edge + LOOP;
  const startY = from.y + HEIGHT / 2 - 6;
  return curve(
    `M${edge} ${startY}C${out} ${startY} ${out} ${y} ${x} ${y}`,
    `M${x + 7} ${y - 4}L${x} ${y}L${x + 7} ${y + 4}`,
  );
}

/** Below both, to the bottom of an earlier column. */
function backwards(from: Box, to: Box): Html {
  const startX = from.x + from.width / 2 - 10;
  const [x, y] = [to.x + to.width / 2 + 10, to.y + HEIGHT + 2];
  const below = Math.max(from.y, to.y) + HEIGHT + GAP.y - 6;
  return curve(
    `M${startX} ${from.y + HEIGHT}C${startX} ${below} ${x} ${below} ${x} ${y}`,
    `M${x - 4} ${y + 7}L${x} ${y}L${x + 4} ${y + 7}`,
  );
}

function curve(line: string, head: string): Html {
  return html`<path d="${line}"/><path d="${head}"/>`;
}
