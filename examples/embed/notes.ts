import { loadModel } from '../../src/index.ts';

/** The API that the examples mount: a collection of notes at /api. */
export const { model } = loadModel({
  text: `
name: notes
resources:
  notes:
    schema:
      type: object
      required: [text]
      properties:
        text: { type: string, minLength: 1 }
`,
});
