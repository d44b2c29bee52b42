const SIZE = /^([0-9]{1,9})(B|KiB|MiB)$/;
const DURATION = /^([0-9]{1,9})(ms|s|m|h|d)$/;
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2 };
const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What a size looks like, as a JSON Schema pattern. */
export const SIZE_PATTERN = SIZE.source;
/** What a duration looks like, as a JSON Schema pattern. */
export const DURATION_PATTERN = DURATION.source;

/** Bytes of `512B`, `16KiB`, `1MiB`; null for any other text. */
export function parseSize(text: string): number | null {
  return parse(text, SIZE, BYTES);
}

/** Milliseconds of `500ms`, `30s`, `5m`, `2h`, `30d`; null for any other text. */
export function parseDuration(text: string): number | null {
  return parse(text, DURATION, MILLISECONDS);
}

function parse(text: string, form: RegExp, units: Readonly<Record<string, number>>): number | null {
  const [, digits, unit = ''] = form.exec(text) ?? [];
  const factor = units[unit];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}
