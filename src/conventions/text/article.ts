/** Words whose first letter does not sound as it is written. */
const AN = /^(?:hour|honest|honour|honor|heir)/;
const A = /^(?:eu|ewe|one|once|u[bcfkqrst][aeiou]|uni(?!n|m))/;

/** The singulars of resources of the server that are no words. */
const NOUNS: ReadonlyMap<string, string> = new Map([['api_key', 'API key']]);

/** Writes the singular of a resource as messages name it: `API key` for `api_key`, others as the model does. */
export function writeNoun(singular: string): string {
  return NOUNS.get(singular) ?? singular;
}

/** A noun with its indefinite article: `a product`, `an issue`, `an hour`, `a user`, `an API key`. */
export function withArticle(noun: string): string {
  const isVowel = AN.test(noun) || (/^[aeiou]/i.test(noun) && !A.test(noun));
  return `${isVowel ? 'an' : 'a'} ${noun}`;
}
