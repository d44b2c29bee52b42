/** Markup that is part of a page as it is. */
export class Html {
  readonly text: string;

  /** @param text markup that no outside text has entered unescaped */
  constructor(text: string) {
    this.text = text;
  }
}

/** The content of a template: text, which is escaped, and markup, which is not. */
export type HtmlContent = string | number | Html | readonly Html[];

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * A template of markup: `` html`<h1 title="${title}">${title}</h1>` ``. Every value that is not markup is escaped, for
 * text and for attributes in quotation marks, so that no text of a model becomes markup.
 */
export function html(markup: TemplateStringsArray, ...contents: readonly HtmlContent[]): Html {
  return new Html(String.raw({ raw: markup }, ...contents.map(escapeContent)));
}

function escapeContent(content: HtmlContent): string {
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(({ text }) => text).join('');
  // A page has no NUL (HTML standard, input stream).
  return String(content)
    .replaceAll('\0', '\uFFFD')
    .replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}
