import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../../src/conventions/json/json.ts';
import {
  applyJsonPatch,
  type Guard,
  MAX_OPERATIONS,
  parseJsonPatch,
} from '../../../src/conventions/json/json-patch.ts';

const operations = (patch: Json) => {
  const parsed = parseJsonPatch(patch);
  assert.ok(parsed.kind === 'operations', JSON.stringify(parsed));
  return parsed.operations;
};
const outcome = (document: Json, patch: Json, guard?: Guard) => {
  const before = JSON.stringify(document);
  const result = applyJsonPatch(document, operations(patch), guard);
  assert.equal(JSON.stringify(document), before);
  return result;
};

type Row = readonly [title: string, document: Json, patch: Json, result: Json];

describe('applyJsonPatch', () => {
  // RFC 6902, Appendix A, with the numbers of its sections.
  const appendix: readonly Row[] = [
    [
      'A.1 adds an object member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 adds an array item',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removes an object member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removes an array item',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replaces a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moves an array item',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 tests existing values',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adds a nested object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 ignores unknown members',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'A.14 unescapes ~01 in the right order',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    [
      'A.16 adds an array as one item',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
  ];
  const further: readonly Row[] = [
    ['does nothing for no operations', { a: 1 }, [], { a: 1 }],
    [
      'adds over a member, which keeps its position',
      { a: 1, b: 2 },
      [{ op: 'add', path: '/a', value: 3 }],
      { a: 3, b: 2 },
    ],
    ['adds null', { a: 1 }, [{ op: 'add', path: '/b', value: null }], { a: 1, b: null }],
    ['adds a member with an empty name', {}, [{ op: 'add', path: '/', value: 1 }], { '': 1 }],
    ['adds a member named like an index', {}, [{ op: 'add', path: '/0', value: 1 }], { '0': 1 }],
    ['adds a member named -', {}, [{ op: 'add', path: '/-', value: 1 }], { '-': 1 }],
    ['adds to the end by the length as index', [1], [{ op: 'add', path: '/1', value: 2 }], [1, 2]],
    ['adds to an array within arrays', [0, [1]], [{ op: 'add', path: '/1/-', value: 2 }], [0, [1, 2]]],
    ['adds a new document', { a: 1 }, [{ op: 'add', path: '', value: [] }], []],
    ['replaces the whole document', { a: 1 }, [{ op: 'replace', path: '', value: 'b' }], 'b'],
    ['replaces null, which is a value', { a: null }, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    ['removes null, which is a value', { a: null }, [{ op: 'remove', path: '/a' }], {}],
    [
      'removes by the indexes that earlier operations left',
      [1, 2, 3, 4],
      [
        { op: 'remove', path: '/1' },
        { op: 'remove', path: '/2' },
      ],
      [1, 3],
    ],
    [
      'copies by value',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    ['copies the whole document into itself', { a: 1 }, [{ op: 'copy', from: '', path: '/b' }], { a: 1, b: { a: 1 } }],
    ['copies an array item before another', [1, 2], [{ op: 'copy', from: '/1', path: '/0' }], [2, 1, 2]],
    ['moves to its own path', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    ['moves over a member', { a: 1, b: 2 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['replaces the document by one of its parts', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '' }], 1],
    ['moves to a name with the same prefix', { a: 1 }, [{ op: 'move', from: '/a', path: '/ab' }], { ab: 1 }],
    [
      'tests objects in any order of members',
      { a: { x: 1, y: [2] } },
      [{ op: 'test', path: '/a', value: { y: [2], x: 1 } }],
      { a: { x: 1, y: [2] } },
    ],
    ['tests numbers by value', { a: 1 }, [{ op: 'test', path: '/a', value: 1.0 }], { a: 1 }],
    ['tests the whole document', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
    ['tests null', { a: null }, [{ op: 'test', path: '/a', value: null }], { a: null }],
  ];
  for (const [title, document, patch, result] of [...appendix, ...further]) {
    it(`[MET-3] ${title}`, () => {
      const patched = outcome(document, patch);
      assert.ok(patched.kind === 'patched');
      assert.deepEqual(patched.document, result);
    });
  }

  it('[MET-3] keeps the place of a member that is replaced', () => {
    const patched = outcome({ a: 1, b: 2 }, [{ op: 'replace', path: '/a', value: 3 }]);
    assert.ok(patched.kind === 'patched');
    assert.equal(JSON.stringify(patched.document), '{"a":3,"b":2}');
  });

  const conflicts: readonly (readonly [title: string, document: Json, operation: Json])[] = [
    ['A.9 a test of another value', { baz: 'qux' }, { op: 'test', path: '/baz', value: 'bar' }],
    ['A.12 an add below nothing', { foo: 'bar' }, { op: 'add', path: '/baz/bat', value: 'qux' }],
    ['A.15 a test of a number against a string', { '/': 9, '~1': 10 }, { op: 'test', path: '/~01', value: '10' }],
    ['a test of an absent member against null', {}, { op: 'test', path: '/a', value: null }],
    ['a test of null against false', { a: null }, { op: 'test', path: '/a', value: false }],
    ['a test of an object with fewer members', { a: { b: 1 } }, { op: 'test', path: '/a', value: {} }],
    ['a test of an array in another order', [1, 2], { op: 'test', path: '', value: [2, 1] }],
    ['a test of an array against an object', [1], { op: 'test', path: '', value: { '0': 1 } }],
    ['a removal of nothing', { a: 1 }, { op: 'remove', path: '/b' }],
    ['a removal beyond an array', [1], { op: 'remove', path: '/1' }],
    ['a removal after the end of an array', [1], { op: 'remove', path: '/-' }],
    ['a removal of the whole document', { a: 1 }, { op: 'remove', path: '' }],
    ['a replacement of nothing', { a: 1 }, { op: 'replace', path: '/b', value: 1 }],
    ['a replacement beyond an array', [1], { op: 'replace', path: '/1', value: 1 }],
    ['an add beyond the end of an array', [1], { op: 'add', path: '/2', value: 1 }],
    ['an add at a negative index', [1], { op: 'add', path: '/-1', value: 1 }],
    ['an index with a leading zero', [1, 2], { op: 'test', path: '/01', value: 2 }],
    ['an index in another notation', [1, 2], { op: 'replace', path: '/1e0', value: 2 }],
    ['a name in an array', [1], { op: 'add', path: '/length', value: 0 }],
    ['an add below a string', { a: 'b' }, { op: 'add', path: '/a/0', value: 1 }],
    ['an add below null', { a: null }, { op: 'add', path: '/a/b', value: 1 }],
    ['a copy of nothing', {}, { op: 'copy', from: '/a', path: '/b' }],
    ['a copy of an inherited member', {}, { op: 'copy', from: '/toString', path: '/b' }],
    ['a move of nothing', {}, { op: 'move', from: '/a', path: '/a' }],
    ['a move into its own child', { a: { b: {} } }, { op: 'move', from: '/a', path: '/a/b/c' }],
    ['a move of the whole document', { a: 1 }, { op: 'move', from: '', path: '/a' }],
    ['a move to an index that the move removes', [1, 2], { op: 'move', from: '/0', path: '/2' }],
  ];
  for (const [title, document, operation] of conflicts) {
    it(`[MET-3] reports a conflict for ${title}`, () => {
      const result = outcome(document, [{ op: 'test', path: '', value: document }, operation]);
      assert.ok(result.kind === 'conflict', JSON.stringify(result));
      assert.equal(result.operation, 1);
      assert.match(result.message, /^Operation 1 \((add|remove|replace|move|copy|test)\): .+\.$/);
    });
  }

  it('[ERR-4] does not reveal the value that a test did not match', () => {
    const result = outcome({ a: 'a-secret' }, [{ op: 'test', path: '/a', value: 'guess' }]);
    assert.ok(result.kind === 'conflict' && !result.message.includes('secret'));
  });

  it('[MET-3] undoes a patch of adds by removing what it added', () => {
    const name = fc.string({ maxLength: 3 }).filter((text) => text !== '__proto__');
    const law = fc.property(fc.dictionary(name, fc.integer()), fc.uniqueArray(name), (document, names) => {
      const fresh = names.filter((text) => !Object.hasOwn(document, text)).map((text) => `/${escaped(text)}`);
      const patch = [
        ...fresh.map((path) => ({ op: 'add', path, value: [path] })),
        ...fresh.map((path) => ({ op: 'test', path, value: [path] })),
        ...fresh.map((path) => ({ op: 'remove', path })),
      ];
      const result = outcome({ ...document }, patch);
      assert.ok(result.kind === 'patched');
      assert.deepEqual(result.document, { ...document });
    });
    fc.assert(law);
  });
});

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

describe('guard', () => {
  const readOnly: Guard = ([member], access) => (member === 'id' && access === 'write' ? 'forbidden' : 'allowed');
  const hidden: Guard = ([member], access) => (member === 'secret' && access === 'read' ? 'forbidden' : 'allowed');
  const document = { id: 'a', name: 'b', secret: 'c' };

  const rows: readonly (readonly [title: string, guard: Guard, operation: Json, pointer: readonly string[] | null])[] =
    [
      ['add', readOnly, { op: 'add', path: '/id', value: 'x' }, ['id']],
      ['replace', readOnly, { op: 'replace', path: '/id', value: 'x' }, ['id']],
      ['remove', readOnly, { op: 'remove', path: '/id' }, ['id']],
      ['move from', readOnly, { op: 'move', from: '/id', path: '/name' }, ['id']],
      ['move to', readOnly, { op: 'move', from: '/name', path: '/id' }, ['id']],
      ['copy to', readOnly, { op: 'copy', from: '/name', path: '/id' }, ['id']],
      ['write below', readOnly, { op: 'add', path: '/id/x', value: 1 }, ['id', 'x']],
      ['copy from', readOnly, { op: 'copy', from: '/id', path: '/name' }, null],
      ['test', readOnly, { op: 'test', path: '/id', value: 'a' }, null],
      ['test of a hidden member', hidden, { op: 'test', path: '/secret', value: 'c' }, ['secret']],
      ['copy of a hidden member', hidden, { op: 'copy', from: '/secret', path: '/name' }, ['secret']],
      ['move of a hidden member', hidden, { op: 'move', from: '/secret', path: '/name' }, ['secret']],
      ['write to a hidden member', hidden, { op: 'replace', path: '/secret', value: 'x' }, null],
    ];
  for (const [title, guard, operation, pointer] of rows) {
    it(`[REP-11a] ${pointer === null ? 'allows' : 'rejects'} ${title}`, () => {
      const result = outcome(document, [{ op: 'test', path: '/name', value: 'b' }, operation], guard);
      if (pointer === null) assert.equal(result.kind, 'patched');
      else assert.deepEqual(result, { kind: 'forbidden', operation: 1, pointer });
    });
  }

  it('[REP-11a] is called before the document is read, so that guessing reveals nothing', () => {
    const guess = (value: string) => outcome(document, [{ op: 'test', path: '/secret', value }], hidden);
    assert.deepEqual(guess('right'), guess('c'));
  });
});

describe('parseJsonPatch', () => {
  const add = { op: 'add', path: '/a', value: 1 };
  const rows: readonly (readonly [title: string, body: Json, fields: readonly string[]])[] = [
    ['an object instead of an array', { op: 'remove', path: '/a' }, ['']],
    ['null', null, ['']],
    ['too many operations', Array.from({ length: MAX_OPERATIONS + 1 }, () => add), ['']],
    ['an operation that is not an object', [add, 'remove'], ['[1]']],
    ['A.13 an unknown operation', [{ op: 'spam', path: '/a' }], ['[0].op']],
    ['an operation in capitals', [{ op: 'ADD', path: '/a', value: 1 }], ['[0].op']],
    ['no operation', [{ path: '/a', value: 1 }], ['[0].op']],
    ['no path', [{ op: 'remove' }], ['[0].path']],
    ['a path that is not a string', [{ op: 'remove', path: 0 }], ['[0].path']],
    ['a path without its slash', [{ op: 'remove', path: 'a' }], ['[0].path']],
    ['a path with a lone tilde', [{ op: 'remove', path: '/~' }], ['[0].path']],
    ['no value', [{ op: 'add', path: '/a' }], ['[0].value']],
    ['no from', [{ op: 'copy', path: '/a' }], ['[0].from']],
    ['a from that is not a pointer', [{ op: 'move', from: 'a', path: '/a' }], ['[0].from']],
    ['a __proto__ member', [{ op: 'add', path: '/a/__proto__/b', value: 1 }], ['[0].path']],
    ['a constructor', [{ op: 'copy', from: '/constructor/prototype', path: '/a' }], ['[0].from']],
    [
      'several errors',
      [add, { op: 'test', path: 'x' }, { op: 'move' }],
      ['[1].path', '[1].value', '[2].path', '[2].from'],
    ],
  ];
  for (const [title, body, fields] of rows) {
    it(`[ERR-3] names the path of ${title}`, () => {
      const parsed = parseJsonPatch(body);
      assert.ok(parsed.kind === 'invalid');
      assert.deepEqual(
        parsed.details.map(({ field }) => field),
        fields,
      );
    });
  }

  it('[MET-3] takes a value of null', () => {
    assert.deepEqual(operations([{ op: 'add', path: '/a', value: null }]), [{ op: 'add', path: ['a'], value: null }]);
  });
});
