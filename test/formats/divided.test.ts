import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../src/conventions/json/json.ts';
import { DividedArray, DividedObject, type Divisible } from '../../src/formats/divided.ts';
import { jsonPieces, jsonWriter } from '../../src/formats/json.ts';
import { textPieces, writeText } from '../../src/formats/text.ts';
import { writeXml, writeXmlItem, xmlItemPieces, xmlPieces } from '../../src/formats/xml.ts';
import type { ValueType } from '../../src/model/model.ts';
import { typedValue } from './typed-values.ts';
import { runs } from '../extent.ts';

/** The same value, divided where it can be: objects with declared members, and arrays. */
function divided(value: Json, type: ValueType): Divisible {
  if (Array.isArray(value) && type.kind === 'array' && value.length > 0) {
    return new DividedArray(() => value.map((item: Json) => divided(item, type.item.type)));
  }
  return isJsonObject(value) && type.kind === 'object' ? dividedObject(value, type) : value;
}

function dividedObject(value: JsonObject, type: Extract<ValueType, { kind: 'object' }>): JsonObject | DividedObject {
  const members = Object.entries(value);
  const typeOf = (name: string) => type.members.find((each) => each.name === name)?.type;
  if (members.length === 0) return value;
  return new DividedObject(() =>
    members.map(([name, member]) => {
      const known = typeOf(name);
      return [name, known === undefined ? member : divided(member, known)] as const;
    }),
  );
}

const textOf = (pieces: Iterable<string>): string => [...pieces].join('');

describe('a divided value', () => {
  const law = (title: string, check: (value: JsonObject, type: Extract<ValueType, { kind: 'object' }>) => void): void =>
    void it(title, () => {
      fc.assert(
        fc.property(typedValue(), ({ type, value }) => check(value, type)),
        { numRuns: runs(40, 600) },
      );
    });

  law('[NEG-1] has the JSON of the whole value', (value, type) =>
    assert.equal(textOf(jsonPieces(divided(value, type), type)), jsonWriter(type)(value)),
  );
  law('[NEG-4] has the XML of the whole value', (value, type) => {
    assert.equal(textOf(xmlPieces('a', divided(value, type), type)), writeXml('a', value, type));
    assert.equal(textOf(xmlItemPieces('a', divided(value, type), type)), writeXmlItem('a', value, type));
  });
  law('[NEG-6] has the text of the whole value', (value, type) =>
    assert.equal(textOf(textPieces(dividedObject(value, type))), writeText(value)),
  );
});
