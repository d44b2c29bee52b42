// `npm run measure`: the size and shape of src/ in numbers; `npm run measure -- --json` prints them as JSON.
// `--cache-files=a,b` counts files with these base names as caches too, for a tree that names its caches otherwise.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { filesEntered } from './measure-requests.ts';
import { measureSources } from './measure-sources.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, 'cache-files': { type: 'string', default: '' } },
});

const entered = await filesEntered();
const measures: Readonly<Record<string, number | string>> = {
  ...measureSources(new Set(values['cache-files'].split(',').filter((name) => name !== ''))),
  'files entered, GET item': entered.item,
  'files entered, GET list': entered.list,
  'files entered, PATCH': entered.patch,
};
process.stdout.write(values.json ? `${JSON.stringify(measures, null, 2)}\n` : table(measures));

function table(rows: typeof measures): string {
  const width = Math.max(...Object.keys(rows).map((name) => name.length));
  return Object.entries(rows)
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}  ${typeof value === 'number' ? value.toLocaleString('en-US') : value}\n`,
    )
    .join('');
}
