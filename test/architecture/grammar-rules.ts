import type { Finding } from './finding.ts';
import type { Mention, Source } from './source.ts';

export const MAX_COLUMNS = 120;
export const MAX_SENTENCE_WORDS = 25;
export const MAX_FILES_OF_A_NAME = 3;

/** First words that make a comment a subordinate clause. */
const QUESTION = /^(?:What|Whether|Of|Where|Wherever|Who|Whose|Whom|Why|How)\b/;

/** A comment as people read it: the text of its lines, without the marks of its syntax. */
interface Comment {
  readonly line: number;
  readonly lines: readonly string[];
}

/** The grammar of comments, and the names of functions (docs/glossary.md). */
export function grammarFindings(source: Source): readonly Finding[] {
  const at = (line: number, message: string): Finding => ({ file: source.path, line, rule: 'grammar', message });
  return [
    ...joinLineComments(source.comments).flatMap((comment) => [
      ...openingFindings(comment).map((message) => at(comment.line, message)),
      ...longSentences(comment.lines).map(({ index, message }) => at(comment.line + index, message)),
    ]),
    ...source.functions
      .filter(({ name }) => /[a-z]Of$/.test(name))
      .map(({ name, line }) => at(line, `function ${name}: name it by a verb, such as find, list or measure`)),
  ];
}

/** Comments that are too long for two files side by side. The formatter wraps the code, but for texts. */
export function columnFindings({ path, comments }: Source, text: string): readonly Finding[] {
  const lines = text.split('\n');
  return comments.flatMap(({ name, line: first }) =>
    name.split('\n').flatMap((_, index) => {
      const line = lines[first - 1 + index] ?? '';
      const message = `${line.length} columns, at most ${MAX_COLUMNS}: wrap the comment`;
      const isUnbreakable = !line
        .trim()
        .replace(/^\W+\s/, '')
        .includes(' ');
      return line.length <= MAX_COLUMNS || isUnbreakable
        ? []
        : [{ file: path, line: first + index, rule: 'columns', message }];
    }),
  );
}

/** Sentences of a page that are too long. Tables, code and quotations from elsewhere are no sentences. */
export function proseFindings(path: string, text: string): readonly Finding[] {
  if (!PROSE.test(path)) return [];
  return longSentences(text.split('\n')).map(({ index, message }) => ({
    file: path,
    line: index + 1,
    rule: 'grammar',
    message,
  }));
}

/** The pages of the project. The specification quotes the seed, and the changelog records what was. */
const PROSE = /^(?:README\.md|CONTRIBUTING\.md|docs\/(?:guides|decisions)\/.+\.md|docs\/[^/]+\.md)$/;

/** Function names that stand in several files: a reader who searches for one finds the others. */
export function functionNameFindings(sources: readonly Source[]): readonly Finding[] {
  const places = Map.groupBy(
    sources.flatMap(({ path, topLevelFunctions }) =>
      [...new Map(topLevelFunctions.map((each) => [each.name, each])).values()].map((each) => ({ path, ...each })),
    ),
    ({ name }) => name,
  );
  return [...places.values()]
    .filter((each) => each.length > MAX_FILES_OF_A_NAME)
    .flatMap((each) =>
      each.map(({ path, name, line }) => ({
        file: path,
        line,
        rule: 'names',
        message: `${each.length} files declare a function ${name}: say in the name what it works on, or share one`,
      })),
    );
}

/** Line comments on consecutive lines are one comment. */
function joinLineComments(comments: readonly Mention[]): readonly Comment[] {
  const joined: { line: number; lines: string[]; isBlock: boolean }[] = [];
  for (const { name, line } of comments) {
    const isBlock = name.startsWith('*') || name.includes('\n');
    const previous = joined.at(-1);
    if (!isBlock && previous?.isBlock === false && previous.line + previous.lines.length === line)
      previous.lines.push(name.trim());
    else joined.push({ line, isBlock, lines: name.split('\n').map((each) => each.replace(/^\s*\*+ ?/, '').trim()) });
  }
  return joined;
}

function openingFindings({ lines }: Comment): readonly string[] {
  const word = QUESTION.exec(lines.find((line) => line !== '') ?? '')?.[0];
  return word === undefined
    ? []
    : [`a comment begins with '${word}': begin with a verb or a noun phrase, see docs/glossary.md`];
}

/** Tags whose lines are code. */
const CODE_TAG = /^@example\b/;

/** Sentences with too many words, each with the index of the line on which it begins. Inline code counts as a word. */
function longSentences(lines: readonly string[]): readonly { readonly index: number; readonly message: string }[] {
  return paragraphs(lines).flatMap(({ index, text }) =>
    text.split(/(?<=[.!?][)"'*_]*)\s+(?=[^a-z])| · /).flatMap((sentence) => {
      const words = countWords(sentence);
      if (words <= MAX_SENTENCE_WORDS) return [];
      const start = sentence.split(/\s+/).slice(0, 6).join(' ');
      return [{ index, message: `'${start} ...' has ${words} words, at most ${MAX_SENTENCE_WORDS}: make it two` }];
    }),
  );
}

function countWords(sentence: string): number {
  const plain = sentence
    .replace(/^@param \S+|^@\w+(?: \{[^}]*\})?/, '')
    .replaceAll(/`[^`]*`|\{@link [^}]*\}/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/https?:\S+/g, 'url');
  return plain.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;
}

/** Runs of lines between blank lines, tags, headings, list items, tables and code. */
function paragraphs(lines: readonly string[]): readonly { readonly index: number; readonly text: string }[] {
  const found: { index: number; text: string }[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (/^(?:```|~~~)/.test(text)) isCode = !isCode;
    else if (CODE_TAG.test(text)) isCode = true;
    else if (text.startsWith('@')) isCode = false;
    if (isCode || text === '' || /^(?:```|~~~|\||#|<|>|---)/.test(text)) {
      isOpen = false;
      continue;
    }
    const starts = /^(?:@|[-*+] |\d+[.)] )/.test(text);
    const last = found.at(-1);
    if (isOpen && !starts && last !== undefined) last.text += ` ${text}`;
    else found.push({ index, text });
    isOpen = true;
  }
  return found;
}
