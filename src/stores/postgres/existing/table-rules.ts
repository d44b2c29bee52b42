import type { DatabaseCaller, Refusal } from '../../../plan/write-unit.ts';
import { type ExistingRowPlan } from '../../sql/existing/row-writes.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import { explainViolation, probeStatements, violationProbes } from '../../sql/write/refusals.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { sqlState } from '../driver/postgres-errors.ts';
import { becomeCaller } from './caller-role.ts';

/** A plan whose statement failed, with its place in the unit. */
interface FailedPlan {
  readonly plan: ExistingRowPlan;
  readonly index: number;
}

interface RuleContext {
  readonly session: PostgresConnection;
  readonly tables: Tables;
  /** The caller who writes; null for the server. */
  readonly caller: DatabaseCaller | null;
}

/** Codes of statements that a rule of the database has refused for the values themselves. */
const INVALID = /^(?:22|23514|23502|23503|428C9|44000|54000|P0001)/;

const CODES = { unique: '23505', foreignKey: '23503', exclusion: '23P01', notNull: '23502', forbidden: '42501' };

/** A right of the server is missing. The message of a row policy is another one, under the same code. */
const MISSING_RIGHT = /^permission denied/;

/**
 * Finds the reason for which the database refused to write a row. The transaction has failed, and is rolled back first.
 *
 * @throws the error, where no rule of the table explains it
 */
export async function explainFailure(context: RuleContext, failed: FailedPlan, error: unknown): Promise<Refusal> {
  await context.session.query('rollback');
  const code = sqlState(error);
  const { index, plan } = failed;
  if (code === CODES.forbidden && context.caller?.isAnonymous === true) throw error;
  if (code === CODES.foreignKey && plan.kind === 'delete') return { kind: 'dependents', plan: index };
  if (code === CODES.unique || code === CODES.foreignKey) {
    const explained = plan.kind === 'delete' ? null : await probe(context, { plan, index });
    if (explained !== null) return explained;
    if (code === CODES.unique) return { kind: 'unique', plan: index, fields: [] };
  }
  const rule = { kind: 'rule', plan: index } as const;
  if (code === CODES.exclusion) return { ...rule, reason: 'conflict', field: null, message: null };
  if (code === CODES.forbidden && (context.caller !== null || !isMissingRight(error)))
    return { ...rule, reason: 'forbidden', field: null, message: null };
  if (!INVALID.test(code)) throw error;
  const field = findField(context, plan, readFact(error, 'column'));
  const message = code === CODES.notNull ? 'is required' : await readComment(context, error);
  return { ...rule, reason: 'invalid', field, message };
}

function isMissingRight(error: unknown): boolean {
  return error instanceof Error && MISSING_RIGHT.test(error.message);
}

/** Finds a missing reference, or a row with the same unique values, as far as the caller sees them. */
async function probe(
  { session, tables, caller }: RuleContext,
  { plan, index }: { readonly plan: Exclude<ExistingRowPlan, { readonly kind: 'delete' }>; readonly index: number },
): Promise<Refusal | null> {
  const probes = violationProbes(tables, plan);
  const statements = probeStatements(probes);
  // The end of the unit rolls the transaction back.
  const opening = caller === null ? [] : [{ text: 'begin', values: [] }, becomeCaller(caller)];
  const sent = [...opening, ...statements].map(({ text, values }) => session.query(text, values));
  const answers = (await allAnswers(sent)).slice(opening.length);
  const rows = new Map(statements.map((statement, at) => [statement, answers[at]?.rows ?? []]));
  return explainViolation(probes, index, (statement) => rows.get(statement) ?? []);
}

/** A fact of an error of the database: the constraint, the column, the table or the schema that it names. */
function readFact(error: unknown, name: 'constraint' | 'column' | 'table' | 'schema'): string | null {
  if (!(error instanceof Error)) return null;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : null;
}

function findField({ tables }: RuleContext, { resource }: ExistingRowPlan, column: string | null): string | null {
  const { existing } = tables.of(resource);
  if (column === null || existing === null) return null;
  const found = [...(existing.target?.columns ?? [])].find(([, { name }]) => name === quoteName(column));
  return found?.[0] ?? null;
}

const COMMENT = `select pg_catalog.obj_description(c.oid, 'pg_constraint') as comment
from pg_catalog.pg_constraint as c
join pg_catalog.pg_class as t on t.oid = c.conrelid join pg_catalog.pg_namespace as n on n.oid = t.relnamespace
where c.conname = $1 and t.relname = $2 and n.nspname = $3`;

/** The comment of the constraint that an error names: its owner has written it for people. Null without one. */
async function readComment({ session }: RuleContext, error: unknown): Promise<string | null> {
  const [constraint, table, schema] = [
    readFact(error, 'constraint'),
    readFact(error, 'table'),
    readFact(error, 'schema'),
  ];
  if (constraint === null || table === null || schema === null) return null;
  const { rows } = await session.query(COMMENT, [constraint, table, schema]);
  const comment = rows[0]?.['comment'];
  return typeof comment === 'string' ? comment : null;
}
