/** Text without a meaning in Markdown and HTML. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&|~]/g, (each) => `\\${each}`);
}
