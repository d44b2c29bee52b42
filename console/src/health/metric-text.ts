/** One line of the text format of Prometheus. */
export interface MetricLine {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format of Prometheus. Comments and lines of any other form are left out. */
export function parseMetrics(text: string): readonly MetricLine[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', content = '']) => [key, content] as const);
    return [{ name, labels: new Map(pairs), value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }];
  });
}
