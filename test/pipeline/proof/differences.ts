import { CursorMark, type CursorPlace, type Expected, Mark } from '../../oracle/ruled-reads.ts';
import { Headers, Refusal } from '../../oracle/ruled-server.ts';
import { DRY } from '../../oracle/ruled-writes.ts';

/** Called with a cursor that was served, and where it leads. */
type OnCursor = (token: string, place: CursorPlace) => void;

/**
 * Describes where a served value differs from the expected one. A mark accepts values that the server alone chooses.
 */
export function differences(expected: unknown, served: unknown, path: string, onCursor: OnCursor): readonly string[] {
  const differs = (): readonly string[] => [`${path} is ${JSON.stringify(served)}, not ${JSON.stringify(expected)}`];
  if (expected instanceof Mark) return expected.accepts(served) ? [] : [`${path} is ${JSON.stringify(served)}`];
  if (expected === DRY) return typeof served === 'number' ? [] : differs();
  if (expected instanceof CursorMark) {
    if (typeof served !== 'string') return differs();
    onCursor(served, expected.place);
    return [];
  }
  if (expected instanceof Refusal) return refusalDifferences(expected.expected, served, path);
  if (expected instanceof Headers) return headerDifferences(expected.expected, served, path);
  if (typeof expected !== 'object' || expected === null) return Object.is(expected, served) ? [] : differs();
  if (typeof served !== 'object' || served === null || Array.isArray(expected) !== Array.isArray(served))
    return differs();
  const names = new Set([...Object.keys(expected), ...Object.keys(served)]);
  const at = (value: object, name: string): unknown => Object.entries(value).find(([key]) => key === name)?.[1];
  return [...names].flatMap((name) => differences(at(expected, name), at(served, name), `${path}.${name}`, onCursor));
}

/** An error body: its code, and the fields of its details in any order. */
export function refusalDifferences(
  { status, code, fields, anyField = false }: Expected,
  served: unknown,
  path: string,
): readonly string[] {
  const {
    httpStatus,
    errorCode,
    details = [],
  } = (served ?? {}) as { httpStatus?: number; errorCode?: string; details?: readonly { field: string }[] };
  const got = [
    httpStatus,
    errorCode,
    fields === undefined
      ? ''
      : details
          .map(({ field }) => field)
          .sort()
          .join(),
  ];
  const wanted = [status, code, fields === undefined ? '' : [...fields].sort().join()];
  const isOne =
    anyField &&
    httpStatus === status &&
    errorCode === code &&
    details.length > 0 &&
    details.every(({ field }) => fields?.includes(field));
  return isOne || String(got) === String(wanted) ? [] : [`${path} is refused as ${String(got)}, not ${String(wanted)}`];
}

function headerDifferences(
  expected: Readonly<Record<string, string | null>>,
  served: unknown,
  path: string,
): readonly string[] {
  const got = new Map(
    Object.entries((served ?? {}) as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return Object.entries(expected)
    .filter(([name, value]) => (got.get(name) ?? null) !== value)
    .map(([name, value]) => `${path} has ${name}: ${got.get(name)}, not ${value}`);
}
