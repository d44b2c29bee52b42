const SIZE = /^([0-9]{1,9})(B|KiB|MiB)$/;
const DURATION = /^([0-9]{1,9})(ms|s|m|h|d)$/;
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2 };
const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** JSON Schema pattern of a size. */
export const SIZE_PATTERN = SIZE.source;
/** JSON Schema pattern of a duration. */
export const DURATION_PATTERN = DURATION.source;

/** Parses a size such as `512B`, `16KiB` or `1MiB` to bytes; null for other strings. */
export function parseSize(text: string): number | null {
  return parse(text, SIZE, BYTES);
}

/** Parses a duration such as `500ms`, `30s`, `5m`, `2h` or `30d` to milliseconds; null for other strings. */
export function parseDuration(text: string): number | null {
  return parse(text, DURATION, MILLISECONDS);
}

function parse(text: string, pattern: RegExp, units: Readonly<Record<string, number>>): number | null {
  const [, digits, unit = ''] = pattern.exec(text) ?? [];
  const factor = units[unit];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}
