import { changesIn, columnOf, type Node, nodesOf } from './syntax-tree.ts'

const largestPage = 10_000

/**
 * Refuses batches that may read or change more than a page: `with page as (select … where id > coalesce($1, '') order by id limit
 * 1000), changed as (update … from page where t.id = page.id) select max(id) as last from page` is accepted.
 */
export function judgeBatches([statement, ...more]: Node[]): string[] {
  const select = statement?.SelectStmt
  if (!select || more.length > 0) return ['batches are one statement that answers the last key of its page']
  const parts: Node[] = (select.withClause?.ctes ?? []).map(({ CommonTableExpr }: Node) => CommonTableExpr)
  const [page, ...others] = parts
  if (!page || !isPage(page.ctequery)) return ['a batch is a page: where id > $1 order by id limit …']
  const isOfPage = (from: Node[] | undefined) => from?.length === 1 && from[0].RangeVar?.relname === page.ctename
  if (!isOfPage(select.fromClause)) return ['a batch answers the last key of its page']
  if (nodesOf(others, 'WithClause').length > 0 || nodesOf(statement, 'MergeStmt').length > 0)
    return ['a batch has one page, and changes beside it']
  return others.flatMap(({ ctename, ctequery }) => {
    const [found] = changesIn(ctequery)
    if (!found) return [`${ctename} reads beside the page of the batch`]
    const { kind, change } = found
    const { relname, alias } = change.relation
    const isInPage =
      kind === 'InsertStmt'
        ? isOfPage(change.selectStmt?.SelectStmt?.fromClause)
        : isOfPage(change.fromClause ?? change.usingClause) && isJoined(change.whereClause, relname, page.ctename)
    return isInPage && !alias && nodesOf(change, 'SubLink').length === 0
      ? []
      : [`a batch changes ${relname} where it is in the page only`]
  })
}

/** Whether a query reads the rows of one table that follow a key, in its order, and not too many. */
function isPage({ SelectStmt }: Node): boolean {
  const { fromClause = [], whereClause, sortClause = [], limitCount } = SelectStmt ?? {}
  const [key] = columnOf(sortClause[0]?.SortBy.node).slice(-1)
  const size = limitCount?.A_Const?.ival?.ival
  const follows = (one: Node) => isOperator(one, '>') && columnOf(one.A_Expr.lexpr).at(-1) === key && isKey(one.A_Expr)
  return (
    fromClause.length === 1 &&
    fromClause[0].RangeVar !== undefined &&
    key !== undefined &&
    sortClause.length === 1 &&
    conjuncts(whereClause).some(follows) &&
    size > 0 &&
    size <= largestPage
  )
}

const isKey = ({ rexpr }: Node) => rexpr.ParamRef !== undefined || rexpr.CoalesceExpr?.args[0].ParamRef !== undefined

const isOperator = ({ A_Expr }: Node, operator: string) =>
  A_Expr?.kind === 'AEXPR_OP' && A_Expr.name[0].String.sval === operator

/** The conditions that must all hold. */
function conjuncts(condition: Node): Node[] {
  if (!condition) return []
  return condition.BoolExpr?.boolop === 'AND_EXPR' ? condition.BoolExpr.args : [condition]
}

/** Whether rows are found by equality with a column of the page. */
function isJoined(condition: Node, table: string, page: string): boolean {
  return conjuncts(condition).some((one) => {
    if (!isOperator(one, '=')) return false
    const sides = [columnOf(one.A_Expr.lexpr)[0], columnOf(one.A_Expr.rexpr)[0]]
    return sides.includes(table) && sides.includes(page)
  })
}
