import type { AuditEntry } from './queries.ts'

export interface Change {
  field: string
  /** undefined: the field was not there. */
  before: string | undefined
  after: string | undefined
}

/** The changes of an entry by field. */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Change[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields.map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
