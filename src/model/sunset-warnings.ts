import { versionText } from '../conventions/versioning.ts';
import type { OlderVersion } from './model.ts';

const DAY = 86_400;
/** Days before its sunset on which a version is first reported. */
const NOTICE = 30;

/**
 * Versions that are served and whose sunset is near or past (VER-4): nothing changes by itself on that day.
 *
 * @param day seconds since the epoch, 00:00:00 GMT
 */
export function sunsetWarnings(versions: readonly OlderVersion[], day: number): readonly string[] {
  return versions.flatMap(({ version, sunset, retired }) => {
    if (retired || sunset === null) return [];
    const days = Math.round((sunset - day) / DAY);
    if (days > NOTICE) return [];
    const date = new Date(sunset * 1000).toISOString().slice(0, 10);
    const when = days > 0 ? `in ${daysText(days)}` : days === 0 ? 'today' : `${daysText(-days)} ago`;
    return [
      `versions["${versionText(version)}"]: its sunset is ${date}, ${when}, and it is served until retired: true is set`,
    ];
  });
}

function daysText(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}
