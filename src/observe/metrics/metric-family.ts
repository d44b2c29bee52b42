/**
 * The label values of one series, as the exposition has them: `http_request_method="GET",http_route="/api/notes"`;
 * empty without labels.
 */
type LabelText = string;

/** One series of a family. */
export interface MetricSeries {
  readonly labels: LabelText;
  /**
   * The value; of a histogram the count of each bucket alone (not cumulated), that above the last bound, and the sum.
   */
  readonly values: readonly number[];
}

/** The rule that merges the series of several processes: their sum, their maximum, or one series for each process. */
export type MergeRule = 'sum' | 'max' | 'each';

/** The description of a metric. */
export interface MetricDescription {
  /** With its unit, and `_total` for a counter. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Default: `sum`. */
  readonly merge?: MergeRule;
}

/** A metric with its series: plain data, which another process can merge and write. */
export interface MetricFamily extends MetricDescription {
  /** The upper bounds of the buckets of a histogram, ascending; empty for the others. */
  readonly bounds: readonly number[];
  readonly series: readonly MetricSeries[];
}

/** A label and its value. An empty value means the same as no label, so that it is left out. */
export type Label = readonly [name: string, value: string];

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** Labels as the exposition writes them. */
export function labelText(labels: readonly Label[]): LabelText {
  return labels
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPED[character] ?? character)}"`)
    .join(',');
}

/** A family of one series without labels, or of some with them: of what is read when it is scraped. */
export function family(
  description: MetricDescription,
  values: number | readonly (readonly [labels: readonly Label[], value: number])[],
): MetricFamily {
  const series = typeof values === 'number' ? [[[], values] as const] : values;
  return {
    ...description,
    bounds: [],
    series: series.map(([labels, value]) => ({ labels: labelText(labels), values: [value] })),
  };
}
