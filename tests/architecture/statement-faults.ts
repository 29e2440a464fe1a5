import type { Column, Statement } from '@notify/database'
import type { ResultColumn } from './describe-statement.ts'
import { type Node, nodesOf } from './syntax-tree.ts'

/** In what the declared columns of a statement differ from its result. */
export function columnFaults({ columns }: Pick<Statement, 'columns'>, result: readonly ResultColumn[]): string[] {
  const declared = new Map(Object.entries<Column>(columns))
  const missing = [...declared.keys()].filter((name) => !result.some((one) => one.name === name))
  return [
    ...missing.map((name) => `${name} is not in the result`),
    ...result.flatMap(({ name, type, isNullable }) => {
      const column = declared.get(name)
      if (!column) return [`${name} is not declared`]
      return [
        ...(column.type === type ? [] : [`${name} is ${type}, not ${column.type}`]),
        ...(isNullable && !column.isNullable && !column.excludesNull ? [`${name} may be null`] : []),
        ...(column.excludesNull && isNullable === false ? [`${name} is never null: present() is needless`] : []),
      ]
    }),
  ]
}

/** The number of common table expressions of a parsed statement. */
export const countCtes = (tree: Node): number => nodesOf(tree, 'CommonTableExpr').length
