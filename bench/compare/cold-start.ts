import { type ServerOptions, startServer } from '../server.ts';
import { percentile } from './percentile.ts';
import type { Contender } from './contenders.ts';

/**
 * Measures the milliseconds from process start to the first 200: the median of each contender, in alternation. A first
 * start is not counted; it fills the compile cache.
 *
 * @param starts number of starts per contender; 0 measures nothing
 * @param report gets the name of the contender before each start
 */
export async function measureColdStarts(
  contenders: readonly Contender[],
  starts: number,
  startOf: (contender: Contender) => ServerOptions,
  report: (contender: string) => void,
): Promise<ReadonlyMap<Contender['id'], number>> {
  if (starts === 0) return new Map();
  const lanes = contenders.map((contender) => ({ contender, times: [] as number[] }));
  for (let start = 0; start <= starts; start += 1) {
    for (const { contender, times } of lanes) {
      report(contender.name);
      const server = await startServer(startOf(contender));
      await server.stop();
      if (start > 0) times.push(server.coldStart);
    }
  }
  return new Map(
    lanes.map(({ contender, times }) => [
      contender.id,
      percentile(
        times.sort((one, other) => one - other),
        0.5,
      ),
    ]),
  );
}
