/** The field that a path begins with: `address` of `address.city`. */
export function fieldOfPath(path: string): string {
  return path.split('.', 1)[0] ?? path;
}
