/** One step of a schema change, as SQL. */
export interface SchemaStep {
  readonly sql: string;
  readonly lossy: boolean;
  /** The purpose of the step; for a lossy one the data that it would lose, and how the model can keep it. */
  readonly reason: string;
}

function shown({ sql, lossy, reason }: SchemaStep): string {
  return `  ${lossy ? 'LOSES DATA' : 'keeps data'}: ${reason}\n    ${sql.replaceAll('\n', '\n    ')}`;
}

/** The model requires a migration that would lose stored data (OPS-4). The database is unchanged. */
export class LossySchemaChange extends Error {
  override readonly name = 'LossySchemaChange';
  readonly plan: readonly SchemaStep[];

  constructor(plan: readonly SchemaStep[]) {
    const losses = plan.filter(({ lossy }) => lossy).map(({ reason }) => `- ${reason}`);
    super(
      `The model requires a migration that would lose stored data:\n${losses.join('\n')}\n` +
        `Nothing was changed. All steps of the migration:\n${plan.map(shown).join('\n')}`,
    );
    this.plan = plan;
  }
}

/** Stored rows violate a new rule of the model. The database is unchanged. */
export class SchemaViolation extends Error {
  override readonly name = 'SchemaViolation';
}

/** The database cannot be used: it is corrupt, of another program, of a newer version, or does not match the model. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}
