import assert from 'node:assert/strict';
import { encode, type Pair, address, spellTime } from './asking.ts';
import type { Target } from './model.ts';
import { forth, type Walk } from './walk.ts';

/** A position in each technique; two of them conflict (PAGE-4). */
const PLACES: readonly (readonly Pair[])[] = [
  [['page', '1']],
  [['offset', '0']],
  [['last_id', 'a']],
  [
    ['after_timestamp', '2026-01-01T00:00:00Z'],
    ['after_id', 'a'],
  ],
];

/** Additional parameters that must be rejected, with the error code. */
type Refused = readonly [pairs: readonly Pair[], code: string];

/** Parameters that are rejected with any filters, and with a cursor. */
export async function refuses(walk: Walk): Promise<void> {
  const { world, reading } = walk;
  const filters = reading.selection.filter(([name]) => name !== 'sort');
  for (const [pairs, code] of [...conflicts(), ...halves(world.times())]) {
    await refused(walk, [...filters, ...pairs], code);
  }
  const [stop] = await forth(walk);
  const cursor = stop?.served.page['next_cursor'];
  if (typeof cursor !== 'string') return;
  const after: Pair = ['after', cursor];
  for (const place of PLACES) await refused(walk, [after, ...place], 'PAGINATION_CONFLICT');
  await refused(walk, [after, ['sort', 'memo,-updated_at']], 'PAGINATION_CURSOR_MISMATCH');
  await refused(walk, [...filters, after, ['memo', 'other']], 'PAGINATION_CURSOR_MISMATCH');
  for (const token of [cursor.slice(1), `${cursor}A`, encode(cursor.split('').reverse().join(''))]) {
    await refused(walk, [['after', token]], 'PAGINATION_CURSOR_INVALID');
  }
  await refused(walk, [after], 'PAGINATION_CURSOR_INVALID', { ...world.target, path: '/shelves' });
}

function conflicts(): readonly Refused[] {
  const pairs = PLACES.flatMap((one, index) => PLACES.slice(index + 1).map((other) => [...one, ...other]));
  return [...pairs, [...(PLACES[2] ?? []), ['sort', 'count'] as const]].map((each) => [each, 'PAGINATION_CONFLICT']);
}

function halves(times: readonly number[]): readonly Refused[] {
  const [time = 0] = times;
  const [start, before] = [spellTime(time, 0), spellTime(time, 1)].map(encode);
  const half: readonly (readonly Pair[])[] = [
    [['after_id', 'a']],
    [['after_timestamp', '2026-01-01T00:00:00Z']],
    [
      ['start_time', start ?? ''],
      ['before', before ?? ''],
    ],
  ];
  return half.map((pairs) => [pairs, 'PAGINATION_POSITION_INVALID']);
}

async function refused(
  { world }: Walk,
  pairs: readonly Pair[],
  code: string,
  target: Target = world.target,
): Promise<void> {
  const send = `GET ${address(target, pairs)}`;
  const seen = await world.api.send({ send });
  assert.deepEqual([seen.status, seen.body['errorCode']], [400, code], send);
}
