/** Replaces parts of a text. @throws {Error} where the text does not contain a part */
export function replaced(text: string, parts: readonly (readonly [from: string, to: string])[]): string {
  for (const [from] of parts) if (!text.includes(from)) throw new Error(`the example does not contain: ${from}`);
  return parts.reduce((made, [from, to]) => made.replace(from, to), text);
}
