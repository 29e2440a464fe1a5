import { parse } from 'libpg-query'

/** A node of Postgres's own syntax tree: `{ AlterTableStmt: { … } }`. */
// biome-ignore lint/suspicious/noExplicitAny: the tree has some three hundred shapes
export type Node = any

export async function statementsOf(text: string): Promise<Node[]> {
  const { stmts = [] } = (await parse(text)) as { stmts?: { stmt: Node }[] }
  return stmts.map(({ stmt }) => stmt)
}

/** All nodes of a kind below a node. */
export function nodesOf(node: Node, kind: string): Node[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries<Node>(node).flatMap(([name, child]) => [
    ...(name === kind ? [child] : []),
    ...nodesOf(child, kind),
  ])
}

/** The statements below a node that change rows, without `merge`. */
export function changesIn(node: Node): { kind: string; change: Node }[] {
  return ['UpdateStmt', 'DeleteStmt', 'InsertStmt'].flatMap((kind) =>
    nodesOf(node, kind).map((change) => ({ kind, change })),
  )
}

/** The names of a column reference: `['page', 'id']`. */
export function columnOf(node: Node): string[] {
  return (node?.ColumnRef?.fields ?? []).map((field: Node) => field.String?.sval)
}
