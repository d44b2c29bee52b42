import { schemaLine } from '../../infer/write-model.ts';

/**
 * The model that `init` writes where there is no data: two resources with a relation, a state machine and a unique
 * field.
 *
 * @param schema path or URL of the JSON Schema of models
 */
export function starterModel(schema: string): string {
  return `${schemaLine(schema)}
${STARTER}`;
}

const STARTER = `# A model of an HTTP JSON API. Editors complete and check it by the schema in the first line.
#   restwright check restwright.yaml
#   restwright serve restwright.yaml
name: shop
version: 1.0.0

resources:
  # The collection /api/v1/customers and its items.
  customers:
    schema:
      type: object
      required: [name, email] # all other fields may be null
      properties:
        name: { type: string, minLength: 1, maxLength: 200 }
        email: { type: string, format: email, x-unique: true } # no two customers have the same
        country: { type: string, pattern: '^[A-Z]{2}$' }
    indexes: [name, country] # makes filters and sorts by these fields fast

  orders:
    schema:
      type: object
      required: [customer_id, total]
      properties:
        # The id of a customer. ?expand=customer embeds it; a customer links to its orders.
        customer_id: { type: string, x-references: { resource: customers, inverse: orders } }
        total: { type: string, format: decimal, x-precision: 12, x-scale: 2 } # "19.99", compared by value
        due: { type: string, format: date }
        status: { type: string, enum: [OPEN, PAID, SHIPPED, CANCELLED], default: OPEN }
    # A new order is OPEN. Changes that are not listed are 409.
    state:
      field: status
      initial: OPEN
      transitions:
        OPEN: [PAID, CANCELLED]
        PAID: [SHIPPED]
    indexes: [customer_id, status, due, total]
`;
