import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { asyncApiDocument } from '../../../src/describe/asyncapi/async-api-document.ts';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { readArray, readObject } from '../../../src/model/values/access.ts';

/** The AsyncAPI documents of all contracts of a model document, the newest first. */
export function describeEvents(text: string): readonly JsonObject[] {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  return describedContracts(model).map(asyncApiDocument);
}

/** Compares messages with the AsyncAPI document of one version of a model. */
export class DescribedEvents {
  readonly #document: JsonObject;
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

  /** @param version `1.4.2`; default: the newest */
  constructor(model: Model, version?: string) {
    const contracts = describedContracts(model);
    const contract = version === undefined ? contracts[0] : contracts.find((each) => each.version === version);
    assert.ok(contract !== undefined, `${version} is not served`);
    this.#document = asyncApiDocument(contract);
    this.#ajv.addSchema(closed(this.#document), 'document');
  }

  /** The examples of all messages, by the name of the message. */
  examples(): readonly (readonly [name: string, payload: unknown, headers: unknown])[] {
    const messages = readObject(readObject(this.#document['components'])['messages']);
    return Object.entries(messages).flatMap(([name, message]) =>
      readArray(readObject(message)['examples']).map(
        (example) => [name, readObject(example)['payload'], readObject(example)['headers']] as const,
      ),
    );
  }

  /** Fails unless the payload and the headers of a message are as it is described, without members that are not. */
  check(name: string, payload: unknown, headers?: unknown): void {
    const messages = readObject(readObject(this.#document['components'])['messages']);
    assert.ok(name in messages, `${name} is not described; ${Object.keys(messages).join(', ')}`);
    const at = `document#/components/messages/${name.replaceAll('~', '~0')}`;
    for (const [part, value] of [['payload', payload], ...(headers === undefined ? [] : [['headers', headers]])]) {
      const validate = this.#ajv.getSchema(`${at}/${String(part)}`) ?? assert.fail(`no ${String(part)} of ${name}`);
      assert.ok(validate(value), `${name}: ${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
    }
  }
}

/**
 * The document with objects that have no further members: an event has nothing that is not described. Header fields may
 * be more.
 */
function closed(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('properties' in value) || !('type' in value)) return value;
    const isOpen = key === 'WebhookHeaders' || 'additionalProperties' in value;
    return isOpen ? value : { ...value, additionalProperties: false };
  });
}

const known = new Map<string, DescribedEvents>();

/** Fails unless events of the log are as the newest contract of a model describes them. */
export function assertEventsDescribed(model: Model, events: readonly { readonly type: string }[]): void {
  const described = known.get(model.fingerprint) ?? new DescribedEvents(model);
  known.set(model.fingerprint, described);
  for (const event of events) described.check(`${event.type}.feed`, event);
}
