import { styled } from '../terminal/terminal.ts';
import type { StoredRowChange, RowEffect } from '../../versions/row-changes.ts';

const VERBS: Readonly<Record<StoredRowChange['change'], string | null>> = {
  rename: 'renames',
  values: 'maps',
  move: 'moves',
  split: 'splits',
  join: 'joins',
  type: 'converts',
  with: 'drops',
  without: 'adds',
  fill: 'fills',
  names: 'renames',
  absent: 'adds',
  unlisted: null,
};

const EFFECT_VERBS: Readonly<Record<RowEffect, string>> = {
  none: 'keeps',
  adds: 'adds',
  renames: 'renames',
  converts: 'converts',
  drops: 'drops',
  checks: 'checks',
};

/** Describes a change in a few words: `moves city to place.city`. */
export function describeRowChange({ change, effect, what }: StoredRowChange): string {
  return `${VERBS[change] ?? EFFECT_VERBS[effect]} ${what}`;
}

/** The remarks on a change: the rows that it needs consent for, and that it cannot be reversed. */
export function rowChangeNotes({ consent, reversible }: StoredRowChange): readonly string[] {
  return [...(consent === null ? [] : [`needs consent: ${consent}`]), ...(reversible ? [] : ['cannot be reversed'])];
}

/** The effect of a step on stored rows as lines; none for one that changes none. */
export function rowChangeLines(changes: readonly StoredRowChange[], colour: boolean): readonly string[] {
  if (changes.length === 0) return [];
  const lines = changes.map((change) => {
    const notes = rowChangeNotes(change).join('; ');
    const style = change.consent === null ? 'yellow' : 'red';
    return `  ${change.resource}: ${describeRowChange(change)}${notes === '' ? '' : styled(style, ` (${notes})`, colour)}`;
  });
  return [styled('bold', 'stored rows', colour), ...lines];
}

/** A change as JSON. Its shape is documented in docs/guides/versions.md. */
export function rowChangeJson(each: StoredRowChange): object {
  const { resource, version, change, effect, from, to, what, consent, reversible } = each;
  return { resource, version, change, effect, from, to, what, consent, reversible };
}
