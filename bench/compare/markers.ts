/**
 * Replaces the text between the markers `<!-- NAME -->` and `<!-- /NAME -->`.
 *
 * @throws {Error} unless each marker occurs exactly once, in this order
 */
export function replaceBetween(text: string, name: string, content: string): string {
  const [before, between, ...more] = text.split(`<!-- ${name} -->`);
  const [, after, ...others] = between?.split(`<!-- /${name} -->`) ?? [];
  if (before === undefined || after === undefined || more.length + others.length > 0) {
    throw new Error(`the markers <!-- ${name} --> and <!-- /${name} --> must occur exactly once`);
  }
  return `${before}<!-- ${name} -->\n${content}\n<!-- /${name} -->${after}`;
}
