/**
 * A text in which what stands between the markers `<!-- NAME -->` and `<!-- /NAME -->` is replaced; the rest is kept by hand.
 *
 * @throws {Error} where the markers are not there once, one after the other
 */
export function replaceBetween(text: string, name: string, content: string): string {
  const [before, between, ...more] = text.split(`<!-- ${name} -->`);
  const [, after, ...others] = between?.split(`<!-- /${name} -->`) ?? [];
  if (before === undefined || after === undefined || more.length + others.length > 0) {
    throw new Error(`the text has not the markers <!-- ${name} --> and <!-- /${name} --> once`);
  }
  return `${before}<!-- ${name} -->\n${content}\n<!-- /${name} -->${after}`;
}
