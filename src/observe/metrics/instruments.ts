import { type Label, labelText, type MetricDescription, type MetricFamily } from './metric-family.ts';

/** Series of one metric; a bound, because each costs memory here and in whatever stores them. */
const MAX_SERIES = 10_000;

/** A counter of one series of a family. */
export interface Counter {
  /** @param amount at least 0 */
  add(amount?: number): void;
}

/** The counters of one metric, by their labels. */
export class CounterFamily {
  readonly #description: MetricDescription;
  readonly #series = new Map<string, SeriesCounter>();

  /**
   * @param initial labels of series that exist from the start, so that their first increment is an increase of a known
   *   series
   */
  constructor(description: Omit<MetricDescription, 'type'>, initial: readonly (readonly Label[])[] = []) {
    this.#description = { ...description, type: 'counter' };
    for (const labels of initial) this.of(labels);
  }

  /** The counter of some labels. Where there are too many, one that nothing reads. */
  of(labels: readonly Label[]): Counter {
    const text = labelText(labels);
    const known = this.#series.get(text);
    if (known !== undefined) return known;
    const made = new SeriesCounter(text);
    if (this.#series.size < MAX_SERIES) this.#series.set(text, made);
    return made;
  }

  family(): MetricFamily {
    return { ...this.#description, bounds: [], series: [...this.#series.values()] };
  }
}

class SeriesCounter implements Counter {
  readonly labels: string;
  readonly values: [number] = [0];

  constructor(labels: string) {
    this.labels = labels;
  }

  add(amount = 1): void {
    this.values[0] += amount;
  }
}

/** A histogram of one series of a family. */
export interface Histogram {
  record(value: number): void;
}

/** The histograms of one metric, by their labels, with the same buckets. */
export class HistogramFamily {
  readonly #description: MetricDescription;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, SeriesHistogram>();

  /** @param bounds upper bounds of the buckets, ascending; there is one more above the last */
  constructor(
    description: Omit<MetricDescription, 'type'>,
    bounds: readonly number[],
    initial: readonly (readonly Label[])[] = [],
  ) {
    this.#description = { ...description, type: 'histogram' };
    this.#bounds = bounds;
    for (const labels of initial) this.of(labels);
  }

  /** As {@link CounterFamily.of}. */
  of(labels: readonly Label[]): Histogram {
    const text = labelText(labels);
    const known = this.#series.get(text);
    if (known !== undefined) return known;
    const made = new SeriesHistogram(text, this.#bounds);
    if (this.#series.size < MAX_SERIES) this.#series.set(text, made);
    return made;
  }

  family(): MetricFamily {
    return { ...this.#description, bounds: this.#bounds, series: [...this.#series.values()] };
  }
}

class SeriesHistogram implements Histogram {
  readonly labels: string;
  readonly values: number[];
  readonly #bounds: readonly number[];

  constructor(labels: string, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.values = Array.from({ length: bounds.length + 2 }, () => 0);
  }

  /** Most values are in the first buckets. */
  record(value: number): void {
    const bounds = this.#bounds;
    const { values } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    values[bucket] = (values[bucket] ?? 0) + 1;
    values[bounds.length + 1] = (values[bounds.length + 1] ?? 0) + value;
  }
}
