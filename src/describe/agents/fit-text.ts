const ENCODER = new TextEncoder();

/** Measures a text in bytes of UTF-8. */
export function measureText(text: string): number {
  return ENCODER.encode(text).length;
}

/**
 * Finds the largest count that fits; 0 if none does. A count fits if a larger one does, so that few texts are written.
 *
 * @param most the largest count
 *
 * @example
 * ```ts
 * findLargest(100, (count) => count * 3 <= 20); // 6
 * ```
 */
export function findLargest(most: number, fits: (count: number) => boolean): number {
  let [least, above] = [0, most + 1];
  while (above - least > 1) {
    const middle = Math.floor((least + above) / 2);
    if (fits(middle)) least = middle;
    else above = middle;
  }
  return least;
}
