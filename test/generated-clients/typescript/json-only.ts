/** The parts of a description that say what responses hold. */
interface Description {
  components?: { responses?: Record<string, object> };
}

/**
 * Leaves JSON alone in the responses of a description: a client that requests no other format has `Book` as a result, in place of `Book | string`.
 *
 * @param description changed in place
 */
export function jsonOnly<T extends object>(description: T): T {
  const { components }: Description = description;
  for (const response of Object.values(components?.responses ?? {})) {
    const content: Record<string, unknown> = 'content' in response ? Object(response.content) : {};
    for (const type of Object.keys(content)) if (type !== 'application/json') delete content[type];
  }
  return description;
}
