import type { CompileContext } from '../document/compile-context.ts';
import type { EventSettings } from '../event-settings.ts';
import { numberOf, objectOf, stringOf } from '../values/access.ts';
import { parseDuration } from '../values/parse-units.ts';

/** How long events are stored, where the model does not say. */
export const DEFAULT_RETENTION = '30d';

const MINUTE = 60_000;
const MAX_DAYS = 36_500;

/** Compiles `events` of a document, and reports a retention out of range. */
export function compileEvents({ declared, path, report }: CompileContext): EventSettings {
  const section = objectOf(declared['events']);
  const retention = parseDuration(stringOf(section['retention']) ?? DEFAULT_RETENTION) ?? 0;
  if (retention < MINUTE || retention > MAX_DAYS * 24 * 60 * MINUTE) {
    const fix = `use a duration from 1m to ${MAX_DAYS}d, such as ${DEFAULT_RETENTION}`;
    report([...path, 'events', 'retention'], 'events cannot be stored for so long', fix);
  }
  return { retention, maxRows: numberOf(section['max_rows']) };
}
