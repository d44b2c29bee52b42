/** Words whose first letter does not sound as it is written. */
const AN = /^(?:hour|honest|honour|honor|heir)/;
const A = /^(?:eu|ewe|one|once|u[bcfkqrst][aeiou]|uni(?!n|m))/;

/** A noun with its indefinite article: `a product`, `an issue`, `an hour`, `a user`. @param noun in lower case */
export function withArticle(noun: string): string {
  const isVowel = AN.test(noun) || (/^[aeiou]/.test(noun) && !A.test(noun));
  return `${isVowel ? 'an' : 'a'} ${noun}`;
}
