/** Words that no sentence of this project needs. Identifiers are read word by word. */
export const bannedWords: readonly string[] = [
  'anew',
  'beside',
  'drawn',
  'fault',
  'faults',
  'faulty',
  'foreseen',
  'forget',
  'forgets',
  'forgot',
  'forgotten',
  'lately',
  'nobody',
  'somebody',
  'surroundings',
  'tell',
  'teller',
  'telling',
  'tells',
  'told',
  'whoever',
  'whomever',
];

/** Phrases that no sentence of this project needs. */
export const bannedPhrases: readonly string[] = [
  'a turn',
  'ask for',
  'asked for',
  'asking for',
  'asks for',
  'at once',
  'bring to the model',
  'brings to the model',
  'brought to the model',
  'go on where',
  'goes on where',
  'in turn',
  'let go',
  'lets go',
  'letting go',
  'of late',
  'take in',
  'take turns',
  'taken in',
  'takes in',
  'those who',
  'way on',
  'work out',
  'worked out',
  'working out',
  'works out',
];

const banned = new RegExp(`(?<![A-Za-z])(?:${[...bannedPhrases, ...bannedWords].join('|')})(?![A-Za-z])`, 'gi');

/** The banned words and phrases of a text, in its order. `toldItems` and `TOLD_ITEMS` hold one each. */
export function findBannedWords(text: string): readonly string[] {
  const words = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return [...words.matchAll(banned)].map(([word]) => word.toLowerCase());
}
