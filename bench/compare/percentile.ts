/** The nearest-rank percentile; NaN without values. @param sorted ascending @param share 0 to 1 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
