import type { DestinationPart, DestinationTemplate } from '../../relay-settings.ts';

/** A template of a destination, and its errors. */
export interface ParsedTemplate {
  readonly template: DestinationTemplate;
  /** The names in braces that are none of `type`, `collection` and `data.FIELD`. */
  readonly unknown: readonly string[];
  /** False if a brace has no other one. */
  readonly isBalanced: boolean;
}

/** Parses `shop.{collection}.{data.tenant_id}`. Parts with unknown names are left out of the template. */
export function parseTemplate(text: string): ParsedTemplate {
  const template: (string | DestinationPart)[] = [];
  const unknown: string[] = [];
  let isBalanced = true;
  for (const [index, token] of text.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 0) {
      if (/[{}]/.test(token)) isBalanced = false;
      if (token !== '') template.push(token);
      continue;
    }
    const part = parsePart(token);
    if (part === null) unknown.push(token);
    else template.push(part);
  }
  return { template, unknown, isBalanced };
}

/** @param name in braces */
function parsePart(name: string): DestinationPart | null {
  if (name === 'type' || name === 'collection') return { kind: name };
  const [, field] = /^data\.(.+)$/s.exec(name) ?? [];
  return field === undefined ? null : { kind: 'field', field };
}
