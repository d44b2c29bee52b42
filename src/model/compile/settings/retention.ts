import type { Json } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { EventSettings } from '../../event-settings.ts';
import { readNumber, readObject, readString } from '../../values/access.ts';
import { parseDuration } from '../../values/parse-units.ts';
import type { Path } from '../../path.ts';
import { compileRelays } from './relays.ts';

/** The retention time of events by default. */
const DEFAULT_RETENTION = '30d';

const MINUTE = 60_000;
const MAX_DAYS = 36_500;

/** Compiles `events` of a document, and reports times out of range. */
export function compileEventSettings(document: CompileContext): EventSettings {
  const { declared, path, report } = document;
  const section = readObject(declared['events']);
  const declaredRetention = section['retention'] ?? DEFAULT_RETENTION;
  const retention = compileRetention(declaredRetention, [...path, 'events', 'retention'], report);
  const at = [...path, 'events', 'hold'];
  const hold = section['hold'] === undefined ? retention : compileRetention(section['hold'], at, report);
  if (hold >= MINUTE && hold < retention) {
    report(at, 'hold is shorter than retention', `write ${readString(declaredRetention)} or more, or remove it`);
  }
  return { retention, maxRows: readNumber(section['max_rows']), hold, relays: compileRelays(document) };
}

/** Compiles `tombstones` of a resource: milliseconds; null where it has none. Reports a time out of range. */
export function compileTombstones({ declared, path, report }: CompileContext): number | null {
  const tombstones = declared['tombstones'];
  return tombstones === undefined ? null : compileRetention(tombstones, [...path, 'tombstones'], report);
}

/** Reads a retention time, in milliseconds. Reports one out of range. */
export function compileRetention(declared: Json, path: Path, report: CompileContext['report']): number {
  const retention = parseDuration(readString(declared) ?? '') ?? 0;
  if (retention < MINUTE || retention > MAX_DAYS * 24 * 60 * MINUTE) {
    const fix = `use a duration from 1m to ${MAX_DAYS}d, such as ${DEFAULT_RETENTION}`;
    report(path, 'the retention time is too short or too long', fix);
  }
  return retention;
}
