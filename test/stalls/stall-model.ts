/** A model with every kind of field that a request could make expensive. */
export const STALL_MODEL = `
name: stalls
resources:
  things:
    schema:
      type: object
      properties:
        name: { type: string }
        sku: { type: string, x-unique: true }
        n: { type: integer }
        num: { type: number }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        serial: { type: string, format: int64 }
        due: { type: string, format: date }
        at: { type: string, format: date-time }
        email: { type: string, format: email }
        uri: { type: string, format: uri }
        code: { type: string, pattern: "^[a-z]+[0-9]$" }
        re2: { type: string, pattern: "^(a+)+$" }
        tags: { type: array, items: { type: string } }
        uniq: { type: array, items: { type: string }, uniqueItems: true }
        uniqnum: { type: array, items: { type: number }, uniqueItems: true }
        nums: { type: array, items: { type: number } }
        parts:
          type: array
          items: { type: object, properties: { sku: { type: string }, n: { type: integer } } }
        uniqobj:
          type: array
          uniqueItems: true
          items: { type: object, properties: { a: { type: object, properties: { b: { type: string } } } } }
        labels: { type: object, additionalProperties: { type: string } }
        tree: { type: object, properties: { a: { type: object, additionalProperties: { type: array, items: { type: string } } } } }
        parent_id: { type: string, x-references: { resource: things, as: parent, inverse: children } }
    search: [name, tags]
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;
