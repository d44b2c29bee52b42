import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/** Fields of any JSON: optional, required with a default, and inside of other types. */
export const SETTINGS = `
name: lab
version: 1.0.0
resources:
  devices:
    id: client
    events: full
    schema:
      type: object
      required: [config]
      properties:
        config: { type: json, default: { mode: auto } }
        settings: { type: json, description: Whatever the device needs }
        mode: { type: json, enum: [auto, 3, { own: true }] }
        place: { type: object, properties: { extra: { type: json }, city: { type: string } } }
        parts: { type: array, items: { type: json } }
        values: { type: object, additionalProperties: { type: json } }
        secret: { type: json, writeOnly: true }
  probes:
    id: client
    schema: { type: object, properties: { device_id: { type: string, x-references: devices } } }
`;

/** Creates devices with some settings, named by letters in order. */
export async function devicesWith(settings: readonly unknown[]): Promise<ApiUnderTest> {
  const lab = await apiUnderTest(SETTINGS);
  for (const [index, each] of settings.entries()) {
    await create(lab, 'devices', { id: deviceId(index), settings: each });
  }
  return lab;
}

/** The id of a device by its position: `a`, `b`, ... */
export function deviceId(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}
