import type { Channel, Id, KeyMode, SuppressionReason } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import { suppressedBecause } from './suppressed-because.ts'

interface Recipients {
  tenantId: Id<'ten'>
  channel: Channel
  mode: KeyMode
  /** Blind indexes. */
  indexes: readonly string[]
}

const find = defineStatement({
  name: 'find-suppressed',
  text: `
    select recipient_index, suppressed from (
      select recipient_index, ${suppressedBecause('asked')} as suppressed
      from (select $1::text as tenant_id, $2::text as channel, $3::text as mode, unnest($4::text[]) as recipient_index) as asked
    ) as found where suppressed is not null`,
  columns: { recipient_index: column.text().present(), suppressed: column.text<SuppressionReason>().present() },
})

/** Which of these recipients are suppressed now, and why; nobody is for test messages. */
export async function findSuppressed(
  db: Pick<Queries, 'run'>,
  { tenantId, channel, mode, indexes }: Recipients,
): Promise<Map<string, SuppressionReason>> {
  if (indexes.length === 0 || mode === 'test') return new Map()
  const rows = await db.run(find, [tenantId, channel, mode, indexes])
  return new Map(rows.map(({ recipient_index, suppressed }) => [recipient_index, suppressed]))
}
