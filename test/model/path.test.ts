import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatPath, type Path } from '../../src/model/path.ts';

describe('formatPath', () => {
  const rows: readonly (readonly [path: Path, text: string])[] = [
    [[], ''],
    [['address', 'city'], 'address.city'],
    [['items', 0, 'sku'], 'items[0].sku'],
    [['tags', 2], 'tags[2]'],
    [['versions', '1.4.0', 'changes'], 'versions["1.4.0"].changes'],
    [['labels', 'a b'], 'labels["a b"]'],
    [['schema', '$defs', 'x-references'], 'schema.$defs.x-references'],
  ];
  for (const [path, text] of rows) it(`[ERR-3] writes ${text}`, () => assert.equal(formatPath(path), text));
});
