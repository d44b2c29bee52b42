import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { formatFinding } from './architecture/finding.ts';
import { checkArchitecture } from './architecture/check-architecture.ts';

const root = path.dirname(import.meta.dirname);

describe('the architecture', () => {
  it('follows the rules of layers, folders, libraries, restrictions, state, sizes, names and words', () => {
    const manifest: { dependencies: Record<string, string>; peerDependencies: Record<string, string> } = JSON.parse(
      readFileSync(path.join(root, 'package.json'), 'utf8'),
    );
    const files = Object.fromEntries(
      globSync(['{src,console/src,store-suite,test,scripts,bench,examples}/**/*.ts', 'docs/**/*.*', '*.md'], {
        cwd: root,
        exclude: ['**/node_modules'],
      })
        .map((file) => file.replaceAll(path.sep, '/'))
        .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
    );
    assert.ok(
      Object.keys(files).some((file) => file.startsWith('src/')),
      'no sources were found',
    );
    const findings = checkArchitecture({
      files,
      dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })),
    });
    assert.equal(findings.map(formatFinding).join('\n'), '');
  });
});
