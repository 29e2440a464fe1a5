import { parse } from 'libpg-query'
import type { Migration, Migrations } from '../../packages/database/src/index.ts'
import { createIndexSql } from '../../packages/database/src/index.ts'

/** A node of Postgres's own syntax tree: `{ AlterTableStmt: { … } }`. */
// biome-ignore lint/suspicious/noExplicitAny: the tree has some three hundred shapes
type Node = any

interface State {
  /** Created by the current migration, so unused yet. */
  fresh: Set<string>
  /** Existing tables that this migration changes. */
  touched: Set<string>
  /** `column is not null` constraints by `table.constraint`, across migrations. */
  notNull: Map<string, { column: string; valid: boolean }>
}

/**
 * Refuses statements that rewrite or scan a full table under a lock, or remove what the previous release uses.
 * Only known-safe statements pass.
 */
export async function judgeMigrations(migrations: Migrations): Promise<string[]> {
  const notNull: State['notNull'] = new Map()
  const faults: string[] = []
  for (const migration of migrations) {
    const found = await judge(migration, { fresh: new Set(), touched: new Set(), notNull })
    faults.push(...found.map((fault) => `${migration.name}: ${fault}`))
  }
  return faults
}

async function judge(migration: Migration, state: State): Promise<string[]> {
  if ('index' in migration) return judgeIndex(await statementsOf(createIndexSql(migration.index)))
  if ('batches' in migration) return judgeBatches(await statementsOf(migration.batches))
  const statements = (await Promise.all(migration.transaction.map(statementsOf))).flat()
  for (const { CreateStmt } of statements)
    if (CreateStmt && !CreateStmt.if_not_exists) state.fresh.add(CreateStmt.relation.relname)
  const faults = statements.flatMap((statement) => judgeStatement(statement, state, migration))
  const validates = statements.some((statement) => actionsOf(statement).some(isValidation))
  if (validates && (statements.length > 1 || actionsOf(statements[0]).length > 1))
    faults.push('validate constraint stands alone: other statements would hold their locks while it reads the table')
  if (state.touched.size > 1)
    faults.push(`changes ${[...state.touched].join(' and ')}: one table for each migration, or locks pile up`)
  return faults
}

async function statementsOf(text: string): Promise<Node[]> {
  const { stmts = [] } = (await parse(text)) as { stmts?: { stmt: Node }[] }
  return stmts.map(({ stmt }) => stmt)
}

const isValidation = ({ subtype }: Node) => subtype === 'AT_ValidateConstraint'
const actionsOf = ({ AlterTableStmt }: Node): Node[] =>
  (AlterTableStmt?.cmds ?? []).map(({ AlterTableCmd }: Node) => AlterTableCmd)

function judgeIndex([statement, ...more]: Node[]): string[] {
  return statement?.IndexStmt?.concurrent && more.length === 0 ? [] : ['is not one create index']
}

function judgeBatches([statement, ...more]: Node[]): string[] {
  if (!statement?.SelectStmt || more.length > 0)
    return ['batches are one statement that answers the last key of its page']
  const parts: Node[] = nodesOf(statement, 'CommonTableExpr')
  const pages = parts.filter(isPage).map(({ ctename }) => ctename)
  if (pages.length === 0) return ['a batch is a page: where id > $1 order by id limit …']
  const changes = ['UpdateStmt', 'DeleteStmt', 'InsertStmt'].flatMap((kind) => nodesOf(statement, kind))
  return changes
    .filter((change) => !namesOf(change.whereClause ?? change.selectStmt).some((name) => pages.includes(name)))
    .map(({ relation }) => `a batch changes ${relation.relname} where it is in the page only`)
}

function isPage({ ctequery }: Node): boolean {
  const { limitCount, sortClause } = ctequery.SelectStmt ?? {}
  return limitCount !== undefined && sortClause !== undefined && nodesOf(ctequery, 'ParamRef').length > 0
}

/** All nodes of a kind below a node. */
function nodesOf(node: Node, kind: string): Node[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries<Node>(node).flatMap(([name, child]) => [
    ...(name === kind ? [child] : []),
    ...nodesOf(child, kind),
  ])
}

/** The relations that an expression reads, also as the first part of `page.id`. */
function namesOf(node: Node): string[] {
  const columns = nodesOf(node, 'ColumnRef').map(({ fields }) => fields[0].String?.sval)
  return [...columns, ...nodesOf(node, 'RangeVar').map(({ relname }) => relname)]
}

/** Takes a short lock, reads no rows, and removes nothing. */
const harmless = new Set(['CreateFunctionStmt', 'CommentStmt', 'CreateSeqStmt'])

function judgeStatement(statement: Node, state: State, { name }: Migration): string[] {
  const [[kind, body]] = Object.entries<Node>(statement) as [[string, Node]]
  if (harmless.has(kind)) return []
  // Nobody waits in an empty schema.
  if (kind === 'DoStmt' && /\b0001\b/.test(name)) return []
  if (kind === 'CreateStmt') return judgeTable(body, state)
  if (body.relation?.schemaname !== undefined) return [ownSchema]
  const changesRows = /^(Update|Delete|Insert|Select)Stmt$/.test(kind)
  const isOfFresh = (relation: Node) => state.fresh.has(relation.relname)
  if (changesRows) {
    const all = [...(body.relation ? [body.relation] : []), ...relationsIn(statement)]
    return all.length > 0 && all.every(isOfFresh) ? [] : ['rows are changed in { batches }']
  }
  const table: string | undefined = body.relation?.relname
  if (table !== undefined && state.fresh.has(table)) return []
  if (table !== undefined) state.touched.add(table)
  if (kind === 'CreateTrigStmt') return []
  if (kind === 'DropStmt' && body.removeType === 'OBJECT_INDEX') return []
  if (kind === 'IndexStmt') return [`create index on ${table} stops its writers: use { index }`]
  if (kind !== 'AlterTableStmt') return [`${kind} is not known to be harmless on a table that exists`]
  const actions = actionsOf(statement)
  return actions.flatMap((action) => (isReplaced(action, actions) ? [] : judgeAction(table!, action, state)))
}

const ownSchema = 'a table is named without a schema: it is in the one of the service'

/** The tables that a statement reads or changes. */
function relationsIn(statement: Node): Node[] {
  const changed = ['UpdateStmt', 'DeleteStmt', 'InsertStmt'].flatMap((kind) => nodesOf(statement, kind))
  const parts = new Set(nodesOf(statement, 'CommonTableExpr').map(({ ctename }) => ctename))
  const read = nodesOf(statement, 'RangeVar').filter(({ relname }) => !parts.has(relname))
  return [...changed.map(({ relation }) => relation), ...read]
}

function judgeTable(table: Node, { fresh, touched }: State): string[] {
  const { relation, inhRelations = [] } = table
  // A foreign key locks the table that it names.
  for (const { contype, pktable } of nodesOf(table, 'Constraint'))
    if (contype === 'CONSTR_FOREIGN' && !fresh.has(pktable.relname)) touched.add(pktable.relname)
  if (relation.schemaname !== undefined) return [ownSchema]
  if (relation.relpersistence === 't') return ['a temporary table hides the one of its name']
  const parents: Node[] = inhRelations.map(({ RangeVar }: Node) => RangeVar)
  return parents
    .filter(({ relname }) => !fresh.has(relname))
    .map(({ relname }) => `a partition of ${relname} locks it, and may read another one`)
}

/** A check that the same statement replaces: no release relies on one, and no row is read. */
function isReplaced({ subtype, name }: Node, actions: Node[]): boolean {
  if (subtype !== 'AT_DropConstraint') return false
  const added = actions.flatMap(({ def }) => def?.Constraint ?? [])
  return added.some((one) => one.conname === name && one.contype === 'CONSTR_CHECK' && one.skip_validation)
}

const harmlessActions = new Set([
  'AT_ColumnDefault',
  'AT_DropNotNull',
  'AT_SetRelOptions',
  'AT_ResetRelOptions',
  'AT_SetStorage',
  'AT_SetCompression',
  'AT_SetStatistics',
])

function judgeAction(table: string, action: Node, { notNull }: State): string[] {
  const { subtype, name, def } = action
  if (harmlessActions.has(subtype)) return []
  switch (subtype) {
    case 'AT_AddColumn':
      return judgeColumn(table, def.ColumnDef)
    case 'AT_AddConstraint': {
      const { conname, skip_validation, raw_expr } = def.Constraint
      if (!skip_validation) return [`add constraint on ${table} reads it under a lock: not valid first`]
      const test = raw_expr?.NullTest
      notNull.delete(`${table}.${conname}`)
      const column = test?.nulltesttype === 'IS_NOT_NULL' ? test.arg.ColumnRef?.fields.at(-1).String.sval : undefined
      if (column) notNull.set(`${table}.${conname}`, { column, valid: false })
      return []
    }
    case 'AT_ValidateConstraint': {
      const known = notNull.get(`${table}.${name}`)
      if (known) known.valid = true
      return []
    }
    case 'AT_SetNotNull':
      return [...notNull].some(([key, { column, valid }]) => key.startsWith(`${table}.`) && column === name && valid)
        ? []
        : [`set not null on ${table}.${name} reads the table under a lock: validate a check of it first`]
    default:
      return [`${subtype} is not known to be harmless on ${table}`]
  }
}

/** Constraints allowed on a new column; any other reads or rewrites the table. */
function judgeColumn(table: string, { colname, constraints = [], typeName }: Node): string[] {
  const place = `${table}.${colname}`
  const kinds = new Map<string, Node>(constraints.map(({ Constraint }: Node) => [Constraint.contype, Constraint]))
  const type: string = typeName.names.at(-1).String.sval
  if (/serial/.test(type)) return [`${place} is a serial: the table is rewritten`]
  const faults: string[] = []
  const fallback = kinds.get('CONSTR_DEFAULT')
  if (fallback && !isConstant(fallback.raw_expr)) faults.push(`the default of ${place} is no constant`)
  if (kinds.has('CONSTR_NOTNULL') && !fallback) faults.push(`${place} is not null and has no default`)
  for (const kind of kinds.keys()) {
    const known = ['CONSTR_DEFAULT', 'CONSTR_NOTNULL', 'CONSTR_NULL'].includes(kind)
    if (!known) faults.push(`${place} brings a ${kind}: add it in a step of its own`)
  }
  return faults
}

function isConstant(expression: Node): boolean {
  return expression.A_Const !== undefined || (expression.TypeCast && isConstant(expression.TypeCast.arg))
}
