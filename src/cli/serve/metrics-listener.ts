import { type MetricsServer, type MetricsServerOptions, serveMetrics } from '../../http/metrics-server.ts';
import type { Observe } from '../../observe/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import { createIds } from '../../platform/ids.ts';
import { createRandom } from '../../platform/random.ts';
import type { ServeSettings } from '../settings.ts';
import { isLoopback, openServer, serverUrl } from './address.ts';

/**
 * Serves the metrics on the address that the settings name for them; null where they name none.
 *
 * @throws {CommandError} exit 1 where the address cannot be bound
 */
export async function listenForMetrics(
  { metrics }: Pick<ServeSettings, 'metrics'>,
  text: () => Promise<string>,
  observe: Observe,
): Promise<MetricsServer | null> {
  if (metrics === null) return null;
  const { host } = metrics;
  const ids = createIds({ clock: systemClock, random: createRandom() });
  const source = { text, now: () => systemClock.now(), uuid: () => ids.uuid() };
  const options: MetricsServerOptions = { ...metrics, ...source, hosts: isLoopback(host) ? 'loopback' : 'any' };
  const server = await openServer(() => serveMetrics(options));
  observe({ kind: 'metrics-listening', url: serverUrl(host, server.port, '/metrics') });
  return server;
}
