import { createIndexSql, type Migration, type Migrations } from '@notify/database'
import { judgeBatches } from './judge-batches.ts'
import { changesIn, columnOf, type Node, nodesOf, statementsOf } from './syntax-tree.ts'

interface State {
  /** Unused yet: created by the current migration, or by any up to the baseline. */
  fresh: Set<string>
  /** For each statement, the existing tables that it locks. */
  locked: string[][]
  /** Created by any migration so far. */
  tables: Set<string>
  /** The tables of the indexes so far. */
  indexes: Map<string, string>
  /** `column is not null` constraints by `table.constraint`, across migrations. */
  notNull: Map<string, { column: string; valid: boolean }>
}

/**
 * Refuses statements that rewrite or scan a full table under a lock, or remove what the previous release uses.
 * Only known-safe statements pass.
 */
export async function judgeMigrations(migrations: Migrations): Promise<string[]> {
  const known: Pick<State, 'tables' | 'indexes' | 'notNull'> = {
    tables: new Set(),
    indexes: new Map(),
    notNull: new Map(),
  }
  const faults: string[] = []
  for (const migration of migrations) {
    const fresh = new Set(isBaseline.test(migration.name) ? known.tables : [])
    const found = await judge(migration, { ...known, fresh, locked: [] })
    faults.push(...found.map((fault) => `${migration.name}: ${fault}`))
  }
  return faults
}

/** The first of a service's own migrations, up to which its schema has no rows and no writers. */
const isBaseline = /^0001-/

async function judge(migration: Migration, state: State): Promise<string[]> {
  if ('index' in migration) return judgeIndex(await statementsOf(createIndexSql(migration.index)), state)
  if ('batches' in migration) return judgeBatches(await statementsOf(migration.batches))
  const statements = (await Promise.all(migration.transaction.map(statementsOf))).flat()
  const faults = statements.flatMap((statement) => judgeStatement(statement, state, migration))
  const validates = statements.some((statement) => actionsOf(statement).some(isValidation))
  if (validates && (statements.length > 1 || actionsOf(statements[0]).length > 1))
    faults.push('validate constraint stands alone: other statements would hold their locks while it reads the table')
  // A statement may need the table that a foreign key names; several would hold the first while they wait for the next.
  const locking = state.locked.filter((tables) => tables.length > 0)
  const locked = new Set(locking.flat())
  if (locked.size > (locking.length === 1 ? 2 : 1))
    faults.push(`changes ${[...locked].join(' and ')}: one table for each migration, or locks pile up`)
  return faults
}

const isValidation = ({ subtype }: Node) => subtype === 'AT_ValidateConstraint'
const actionsOf = ({ AlterTableStmt }: Node): Node[] =>
  (AlterTableStmt?.cmds ?? []).map(({ AlterTableCmd }: Node) => AlterTableCmd)

function judgeIndex([statement, ...more]: Node[], { indexes }: State): string[] {
  const { concurrent, idxname, relation } = statement?.IndexStmt ?? {}
  if (!concurrent || more.length > 0) return ['is not one create index']
  indexes.set(idxname, relation.relname)
  return []
}

/** Takes a short lock, reads no rows, and removes nothing. */
const harmless = new Set(['CreateFunctionStmt', 'CommentStmt'])
const changesRows = new Set(['UpdateStmt', 'DeleteStmt', 'InsertStmt', 'SelectStmt', 'MergeStmt'])

/** The first migration of the tables that packages bring. */
const isFirstShared = /^[a-z-]+-0001$/

function judgeStatement(statement: Node, state: State, { name }: Migration): string[] {
  const [[kind, body]] = Object.entries<Node>(statement) as [[string, Node]]
  if (harmless.has(kind)) return []
  if (kind === 'DoStmt' && (isBaseline.test(name) || isFirstShared.test(name))) return []
  if (kind === 'CreateStmt') return judgeTable(body, state)
  if (kind === 'DropStmt') return judgeDrop(body, state)
  if (body.relation?.schemaname !== undefined) return [ownSchema]
  if (changesRows.has(kind)) return judgeRows(statement, body, state)
  const table: string | undefined = body.relation?.relname
  if (kind === 'IndexStmt') state.indexes.set(body.idxname, table!)
  const isFresh = table !== undefined && state.fresh.has(table)
  const references = referencesOf(statement, state)
  if (isFresh) state.locked.push(...references.map((one) => [one]))
  else if (table !== undefined) state.locked.push([table, ...references])
  const actions = actionsOf(statement)
  if (isFresh) return actions.flatMap((action) => judgeJoin(table, action))
  if (kind === 'CreateTrigStmt') return []
  if (kind === 'IndexStmt') return [`create index on ${table} stops its writers: use { index }`]
  if (kind !== 'AlterTableStmt') return [`${kind} is not known to be harmless on a table that exists`]
  return actions.flatMap((action) => (isReplaced(action, actions) ? [] : judgeAction(table!, action, state)))
}

const ownSchema = 'a table is named without a schema: it is in the one of the service'

/** The existing tables that a statement's foreign keys name. */
function referencesOf(statement: Node, { fresh }: State): string[] {
  const keys = nodesOf(statement, 'Constraint').filter(({ contype }) => contype === 'CONSTR_FOREIGN')
  return keys.map(({ pktable }) => pktable.relname).filter((table) => !fresh.has(table))
}

function judgeTable(table: Node, state: State): string[] {
  const { relation, inhRelations = [], if_not_exists } = table
  if (relation.schemaname !== undefined) return [ownSchema]
  if (relation.relpersistence === 't') return ['a temporary table hides the one of its name']
  // Another migration made it; then it is not fresh.
  if (if_not_exists) return []
  if (state.tables.has(relation.relname)) return [`${relation.relname} is created twice`]
  state.fresh.add(relation.relname)
  state.tables.add(relation.relname)
  state.locked.push(...referencesOf(table, state).map((one) => [one]))
  const parents: Node[] = inhRelations.map(({ RangeVar }: Node) => RangeVar)
  return parents
    .filter(({ relname }) => !state.fresh.has(relname))
    .map(({ relname }) => `a partition of ${relname} locks it, and may read another one`)
}

/** Existing tables join a new one: they are read under a lock. */
function judgeJoin(table: string, { subtype }: Node): string[] {
  return ['AT_AttachPartition', 'AT_AddInherit'].includes(subtype)
    ? [`${subtype} is not known to be harmless on ${table}`]
    : []
}

function judgeDrop({ removeType, objects }: Node, state: State): string[] {
  if (removeType !== 'OBJECT_INDEX') return ['DropStmt is not known to be harmless on a table that exists']
  const names: string[] = objects.map(({ List }: Node) => List.items.at(-1).String.sval)
  const unknown = names.find((name) => !state.indexes.has(name))
  if (unknown !== undefined) return [`no migration has made the index ${unknown}`]
  state.locked.push(...names.map((name) => [state.indexes.get(name)!]))
  return []
}

/** Rows of new tables, from nothing but themselves. */
function judgeRows(statement: Node, body: Node, { fresh, tables }: State): string[] {
  const parts = nodesOf(statement, 'CommonTableExpr').map(({ ctename }) => ctename)
  if (parts.some((part) => tables.has(part))) return ['a part of a statement has the name of a table']
  const changed = changesIn(statement).map(({ change }) => change.relation)
  const read = nodesOf(statement, 'RangeVar').filter(({ relname }) => !parts.includes(relname))
  const all = [...(body.relation ? [body.relation] : []), ...changed, ...read]
  const isOfFresh = all.length > 0 && all.every(({ relname }) => fresh.has(relname))
  const calls = nodesOf(statement, 'FuncCall').length > 0 || nodesOf(statement, 'MergeStmt').length > 0
  return isOfFresh && !calls ? [] : ['rows are changed in { batches }']
}

/** A check that the same statement replaces: no release relies on one, and no row is read. */
function isReplaced({ subtype, name }: Node, actions: Node[]): boolean {
  if (subtype !== 'AT_DropConstraint') return false
  const added = actions.flatMap(({ def }) => def?.Constraint ?? [])
  return added.some((one) => one.conname === name && one.contype === 'CONSTR_CHECK' && one.skip_validation)
}

const harmlessActions = new Set([
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
    case 'AT_ColumnDefault':
      return def ? [] : [`the previous release may rely on the default of ${table}.${name}`]
    case 'AT_AddColumn':
      return judgeColumn(table, def.ColumnDef)
    case 'AT_AddConstraint': {
      const { conname, skip_validation, raw_expr } = def.Constraint
      if (!skip_validation) return [`add constraint on ${table} reads it under a lock: not valid first`]
      const test = raw_expr?.NullTest
      notNull.delete(`${table}.${conname}`)
      const column = test?.nulltesttype === 'IS_NOT_NULL' ? columnOf(test.arg).at(-1) : undefined
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
  const faults: string[] = []
  if (!isPlainType(typeName)) faults.push(`the type of ${place} is not known to leave the table as it is`)
  const fallback = kinds.get('CONSTR_DEFAULT')
  if (fallback && !isConstant(fallback.raw_expr)) faults.push(`the default of ${place} is no constant`)
  if (kinds.has('CONSTR_NOTNULL') && !fallback) faults.push(`${place} is not null and has no default`)
  for (const kind of kinds.keys()) {
    const known = ['CONSTR_DEFAULT', 'CONSTR_NOTNULL', 'CONSTR_NULL'].includes(kind)
    if (!known) faults.push(`${place} brings a ${kind}: add it in a step of its own`)
  }
  return faults
}

/** Without checks, as a domain has, and without sequences, as a serial has. */
const plainTypes = new Set(
  'bool boolean bytea bpchar varchar text int2 int4 int8 float4 float8 numeric date timestamp timestamptz interval json jsonb uuid'.split(
    ' ',
  ),
)

const isPlainType = ({ names }: Node): boolean => plainTypes.has(names.at(-1).String.sval)

/** A value, not null, that is the same for all rows. */
function isConstant({ A_Const, TypeCast }: Node): boolean {
  if (A_Const) return !A_Const.isnull
  return TypeCast !== undefined && isPlainType(TypeCast.typeName) && isConstant(TypeCast.arg)
}
