import { type ServerOptions, startServer } from '../server.ts';
import { percentile } from './percentile.ts';
import type { Contender } from './contenders.ts';

/**
 * Milliseconds from a process to its first 200: starts in alternation, the median of each side. One start goes before that is not counted:
 * it leaves what it has compiled.
 *
 * @param starts of each side; none for 0
 */
export async function measureColdStarts(
  sides: readonly Contender[],
  starts: number,
  startOf: (side: Contender) => ServerOptions,
  tell: (side: string) => void,
): Promise<ReadonlyMap<Contender['id'], number>> {
  if (starts === 0) return new Map();
  const lanes = sides.map((side) => ({ side, times: [] as number[] }));
  for (let start = 0; start <= starts; start += 1) {
    for (const { side, times } of lanes) {
      tell(side.name);
      const server = await startServer(startOf(side));
      await server.stop();
      if (start > 0) times.push(server.coldStart);
    }
  }
  return new Map(
    lanes.map(({ side, times }) => [
      side.id,
      percentile(
        times.sort((one, other) => one - other),
        0.5,
      ),
    ]),
  );
}
