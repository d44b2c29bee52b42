import type { Observe } from '../../observe/observation.ts';
import { programVersion } from '../../platform/program-version.ts';

/**
 * Makes spans with the SDK of OpenTelemetry that was registered before the program began, such as by
 * `NODE_OPTIONS=--import=./tracing.js`.
 *
 * @returns null where there is no SDK, or the package `@opentelemetry/api` is not installed
 */
export async function registeredTraces(): Promise<Observe | null> {
  try {
    const { registeredTraceObserver } = await import('../../observe/open-telemetry.ts');
    return registeredTraceObserver(programVersion());
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
