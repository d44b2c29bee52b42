import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withPackedLinks } from '../../scripts/packed-links.ts';

const repository = 'https://github.com/restwright/restwright';
const files = {
  repository,
  isPacked: (file: string) => ['docs/specification/model.md', 'CHANGELOG.md'].includes(file),
  isFolder: (file: string) => file.endsWith('/'),
};

describe('the links of a published page', () => {
  const cases: readonly (readonly [link: string, expected: string, page?: string])[] = [
    ['[a](docs/guides/x.md)', `[a](${repository}/blob/HEAD/docs/guides/x.md)`],
    ['[a](docs/guides/x.md#part)', `[a](${repository}/blob/HEAD/docs/guides/x.md#part)`],
    ['[a](docs/decisions/)', `[a](${repository}/tree/HEAD/docs/decisions)`],
    ['![a](bench/results.svg)', `![a](${repository}/raw/HEAD/bench/results.svg)`],
    ['<img alt="a" src="docs/x.svg">', `<img alt="a" src="${repository}/raw/HEAD/docs/x.svg">`],
    ['<source media="b" srcset="docs/x.svg">', `<source media="b" srcset="${repository}/raw/HEAD/docs/x.svg">`],
    ['[a](CHANGELOG.md)', `[a](${repository}/blob/HEAD/CHANGELOG.md)`],
    ['[a](https://example.com/x) and [b](#part)', '[a](https://example.com/x) and [b](#part)'],
    ['[a](model.md)', '[a](model.md)', 'docs/specification/contract.md'],
    ['[a](../errors.md)', `[a](${repository}/blob/HEAD/docs/errors.md)`, 'docs/specification/contract.md'],
  ];
  for (const [link, expected, page = 'README.md'] of cases) {
    it(`are ${expected} for ${link} in ${page}`, () => {
      assert.equal(withPackedLinks(`x ${link} y`, page, files), `x ${expected} y`);
    });
  }
});
