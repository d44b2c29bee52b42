import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { commandName, quoteArgument } from '../../../src/cli/terminal/command-line.ts';

const installed = path.resolve('node_modules/.bin/restwright');
const folder = path.dirname(installed);

describe('the name of the command in messages', () => {
  for (const [title, program, env, name] of [
    ['its name, where the shell finds it', installed, { PATH: `/bin:${folder}` }, 'restwright'],
    [
      'its path in the project, where it was started by that',
      installed,
      { PATH: '/bin' },
      'node_modules/.bin/restwright',
    ],
    ['its path, where npx found it', installed, { PATH: folder, npm_command: 'exec' }, 'node_modules/.bin/restwright'],
    ['its path in a checkout', path.resolve('bin/restwright.js'), { PATH: '/bin' }, 'bin/restwright.js'],
    ['its whole path from elsewhere', '/opt/an app/bin/restwright.js', {}, "'/opt/an app/bin/restwright.js'"],
    ['its name, where another program runs it', path.resolve('test/a.test.ts'), {}, 'restwright'],
  ] as const)
    it(`is ${title}`, () => assert.equal(commandName(program, env), name));
});

describe('a word of a command line', () => {
  it('is quoted where a shell would read it otherwise', () => {
    assert.deepEqual(['a.yaml', 'a b', "it's", '$HOME'].map(quoteArgument), [
      'a.yaml',
      "'a b'",
      "'it'\\''s'",
      "'$HOME'",
    ]);
  });
});
