/** One step of a schema change, as SQL. */
export interface SchemaStep {
  readonly sql: string;
  readonly lossy: boolean;
  /** What the step is for; for a lossy one, what would be lost and how the model can keep it. */
  readonly reason: string;
}

function shown({ sql, lossy, reason }: SchemaStep): string {
  return `  ${lossy ? 'LOSES DATA' : 'keeps data'}: ${reason}\n    ${sql.replaceAll('\n', '\n    ')}`;
}

/** The model asks for a change that would lose stored data (OPS-4). The database is as it was. */
export class LossySchemaChange extends Error {
  override readonly name = 'LossySchemaChange';
  readonly plan: readonly SchemaStep[];

  constructor(plan: readonly SchemaStep[]) {
    const losses = plan.filter(({ lossy }) => lossy).map(({ reason }) => `- ${reason}`);
    super(
      `The model asks for a change that loses stored data:\n${losses.join('\n')}\n` +
        `Nothing was changed. All steps of the change:\n${plan.map(shown).join('\n')}`,
    );
    this.plan = plan;
  }
}

/** Stored rows break a rule that the model newly declares. The database is as it was. */
export class SchemaViolation extends Error {
  override readonly name = 'SchemaViolation';
}

/** The database cannot be used: it is damaged, belongs to something else, was made by a newer version, or is not what others serve. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}
