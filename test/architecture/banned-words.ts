/** Words that no sentence here needs: a common technical term says the same. Identifiers are split into their words. */
const WORDS: readonly string[] = [
  'anew',
  'anybody',
  'beside',
  'drawn',
  'everybody',
  'fault',
  'faults',
  'faulty',
  'foreseen',
  'forget',
  'forgets',
  'forgot',
  'forgotten',
  'heed',
  'lately',
  'mend',
  'mended',
  'nobody',
  'nowhere',
  'outlet',
  'outlets',
  'somebody',
  'stood',
  'stranger',
  'strangers',
  'surroundings',
  'tell',
  'teller',
  'telling',
  'tells',
  'thrice',
  'told',
  'whoever',
  'whomever',
];

const PHRASES: readonly string[] = [
  'a turn',
  'as ever',
  'ask for',
  'asked for',
  'asking for',
  'asks for',
  'at once',
  'bring to the model',
  'brings to the model',
  'brought to the model',
  'by and by',
  'go on where',
  'goes on where',
  'gone on',
  'hand on',
  'handed on',
  'hang on',
  'hangs on',
  'in turn',
  'in vain',
  'let go',
  'lets go',
  'letting go',
  'now and then',
  'of late',
  'take in',
  'take turns',
  'taken in',
  'takes in',
  'those who',
  'to be had',
  'way on',
  'work out',
  'worked out',
  'working out',
  'works out',
];

const banned = new RegExp(`(?<![A-Za-z])(?:${[...PHRASES, ...WORDS].join('|')})(?![A-Za-z])`, 'gi');

/**
 * The banned words and phrases of a text, in order. A camel-case or snake-case identifier counts as a sequence of
 * words.
 */
export function findBannedWords(text: string): readonly string[] {
  const words = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return [...words.matchAll(banned)].map(([word]) => word.toLowerCase());
}
