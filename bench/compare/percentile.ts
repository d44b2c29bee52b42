/** The smallest of the values that so large a share of them does not exceed; NaN of none. @param sorted ascending @param share 0 to 1 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
