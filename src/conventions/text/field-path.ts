/** The field that a path begins with: `address` of `address.city`. */
export function fieldOfPath(path: string): string {
  return path.split('.', 1)[0] ?? path;
}

/** Appends a name to the path of its object; '' is that of a row. */
export function appendName(holder: string, name: string): string {
  return holder === '' ? name : `${holder}.${name}`;
}
