/** A model with so many resources, each with ten fields to filter by besides those of the server. */
export function largeModel(resources: number): string {
  const names = Array.from({ length: resources }, (_, index) => `thing${index}s`);
  const declared = names.map((name, index) => {
    const fields = Array.from({ length: 9 }, (_each, field) => [
      `f${index}_${field}`,
      { type: 'string', maxLength: 80 },
    ]);
    const reference = { type: 'string', 'x-references': names[Math.max(index - 1, 0)] };
    const properties = { ...Object.fromEntries(fields), before_id: reference };
    return [name, { schema: { type: 'object', required: [`f${index}_0`], properties } }];
  });
  return JSON.stringify({ name: 'large', resources: Object.fromEntries(declared) });
}
