import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const root = path.join(import.meta.dirname, '..', '..');
const INDEX = 'src/index.ts';

interface Exported {
  readonly name: string;
  /** Relative to the checkout. */
  readonly file: string;
}

/** The names that a file exports from others. */
function listExported(file: string): readonly Exported[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.replace('type ', '').trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, file: path.join(path.dirname(file), from) })),
  );
}

/** True if the comment in front of a declaration has an example. */
function hasExample({ name, file }: Exported): boolean {
  const text = readFileSync(path.join(root, file), 'utf8');
  const declared = text.search(
    new RegExp(`^export (?:async )?(?:type|interface|class|function|const) ${name}\\b`, 'm'),
  );
  const comment = text.slice(text.lastIndexOf('/**', declared), declared);
  return declared !== -1 && /@example\s[\s\S]*\*\/\n$/.test(comment);
}

describe('the main entry of the package', () => {
  it('has an example for each of its names', () => {
    const exported = listExported(INDEX);
    assert.ok(exported.length >= 25, `${exported.length} names`);
    assert.deepEqual(
      exported.filter((each) => !hasExample(each)).map(({ name, file }) => `${name} in ${file}`),
      [],
    );
  });
});
