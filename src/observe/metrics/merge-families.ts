import type { MetricFamily, MetricSeries } from './metric-family.ts';

/** The metrics of one process. */
export interface ProcessMetrics {
  /** The value of the label `worker` of what is not added up. */
  readonly worker: string;
  readonly families: readonly MetricFamily[];
}

/** The metrics of several processes that serve one API, as those of one: each family once, its series by its rule. */
export function mergeFamilies(processes: readonly ProcessMetrics[]): readonly MetricFamily[] {
  const merged = new Map<string, { readonly family: MetricFamily; readonly series: Map<string, MetricSeries> }>();
  for (const { worker, families } of processes) {
    for (const family of families) {
      const known = merged.get(family.name) ?? { family, series: new Map<string, MetricSeries>() };
      merged.set(family.name, known);
      for (const each of family.series) addSeries(known.series, ofWorker(family, each, worker), family);
    }
  }
  return [...merged.values()].map(({ family, series }) => ({ ...family, series: [...series.values()] }));
}

/** Selects the metrics that outlast a process: its counts, so that no sum decreases. */
export function countedFamilies(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return families.filter(({ type, merge }) => type !== 'gauge' && merge !== 'each');
}

function ofWorker({ merge }: MetricFamily, { labels, values }: MetricSeries, worker: string): MetricSeries {
  if (merge !== 'each') return { labels, values };
  const label = `worker="${worker}"`;
  return { labels: labels === '' ? label : `${labels},${label}`, values };
}

function addSeries(series: Map<string, MetricSeries>, added: MetricSeries, { merge }: MetricFamily): void {
  const { labels, values } = added;
  const before = series.get(labels)?.values;
  if (before === undefined) series.set(labels, added);
  else series.set(labels, { labels, values: values.map((value, at) => combine(value, before[at] ?? 0, merge)) });
}

function combine(first: number, second: number, merge: MetricFamily['merge']): number {
  return merge === 'max' ? Math.max(first, second) : first + second;
}
