import type { MetricFamily, MetricSeries } from './metric-family.ts';

/** The media type of the text format of Prometheus. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Writes metrics in the text format of Prometheus (OPS-2). A scrape is written on the request thread: 500 histograms
 * are concatenated in under 2 ms ([decision 41](../../../docs/decisions/0041-metrics.md)).
 */
export function writeExposition(families: readonly MetricFamily[]): string {
  let text = '';
  for (const family of families) {
    const { name, help, type, series } = family;
    if (series.length === 0) continue;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const each of series) text += type === 'histogram' ? histogram(family, each) : sample(name, each);
  }
  return text;
}

function sample(name: string, { labels, values }: MetricSeries): string {
  return labels === '' ? `${name} ${numeral(values[0])}\n` : `${name}{${labels}} ${numeral(values[0])}\n`;
}

function histogram({ name, bounds }: MetricFamily, { labels, values }: MetricSeries): string {
  const start = labels === '' ? `${name}_bucket{le="` : `${name}_bucket{${labels},le="`;
  const end = labels === '' ? ' ' : `{${labels}} `;
  let count = 0;
  let text = '';
  for (let bucket = 0; bucket < bounds.length; bucket += 1) {
    count += values[bucket] ?? 0;
    text += `${start}${bounds[bucket]}"} ${count}\n`;
  }
  count += values[bounds.length] ?? 0;
  return `${text}${start}+Inf"} ${count}\n${name}_sum${end}${numeral(values[bounds.length + 1])}\n${name}_count${end}${count}\n`;
}

/** A number as Prometheus reads it: that of JavaScript, but for infinity. */
function numeral(value = 0): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
