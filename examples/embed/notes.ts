import { loadModel } from '../../src/index.ts';

/** The model of the examples: a collection of notes at /api. */
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
