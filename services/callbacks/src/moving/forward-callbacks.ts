import type { Report } from '@notify/carriers/receiving'
import { column, defineStatement, type Queries } from '@notify/database'
import { createTtlCache, type Kit, Problem } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { tables } from '../db/schema.ts'
import { createRepeater } from './repeat-forwarding.ts'

/** The cells that have forwarded a callback, comma separated. */
const cellHeader = 'x-notify-cell'
const timeoutMs = 5000
const rememberedMs = 1000
/** The most bytes of an SMS. Carriers that post more repeat it. */
const largestRepeated = 64 * 1024
const isLost = 'a callback for a tenant of another cell is lost there: at the carrier its address is still the old one'

/** A callback as it came. */
export interface RawCallback {
  method: string
  /** Path and query. */
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer | undefined
}

/** @returns the cells that a callback came through; its signature covers the address of the first, which the carrier called */
export const cellsOf = ({ headers }: Pick<RawCallback, 'headers'>): string[] =>
  String(headers[cellHeader] ?? '')
    .split(',')
    .filter(Boolean)

export interface Forwarding {
  /** Hands a callback on to the cells of its tenants. @throws Problem `service_unavailable`: the carrier must repeat it */
  forward(reports: readonly Report[], callback: RawCallback): Promise<void>
}

const { tenant_id, cell } = tables.moved_tenants

const findMoved = defineStatement({
  name: 'find-moved-tenants',
  text: `select tenant_id, cell, moved_at > now() - make_interval(secs => $1) as is_forwarded from moved_tenants`,
  columns: { tenant_id, cell, is_forwarded: column.boolean() },
})

type Cells = Pick<Config, 'CELL' | 'CELLS' | 'FORWARD_CALLBACKS_FOR'>

interface MovedTo {
  cell: string
  isForwarded: boolean
}

/**
 * Forwards callbacks for tenants that moved to another cell: carriers call the old address for a while. They count here, too,
 * because this cell still sends what it accepted before.
 */
export function createForwarding(
  kit: Pick<Kit, 'log' | 'lifecycle'>,
  db: Queries,
  { CELL, CELLS, FORWARD_CALLBACKS_FOR }: Cells,
): Forwarding {
  const repeat = createRepeater(kit)
  const moved = createTtlCache<ReadonlyMap<string, MovedTo>>({
    ttlMs: rememberedMs,
    maxEntries: 1,
    async load() {
      const rows = await db.run(findMoved, [FORWARD_CALLBACKS_FOR / 1000])
      return new Map(rows.map(({ tenant_id, cell, is_forwarded }) => [tenant_id, { cell, isForwarded: is_forwarded }]))
    },
  })
  return {
    async forward(reports, callback) {
      if (CELL === undefined) return
      const passed = [...cellsOf(callback), CELL]
      const cells = await moved.get('all')
      const named = new Set<string>()
      for (const { type, account } of reports) {
        const to = cells.get(account.tenantId)
        // No cell gets a callback twice, so that two cells never play ball with one.
        if (to && passed.includes(to.cell)) continue
        if (to?.isForwarded) named.add(to.cell)
        else if (to && type !== 'receipt') kit.log.error({ tenant_id: account.tenantId, cell: to.cell }, isLost)
      }
      const sendTo = async (cell: string) => {
        const once = () => send(callback, { passed, to: CELLS.get(cell) })
        try {
          await once()
        } catch (cause) {
          const isOfCell = ({ type, account }: Report) =>
            type === 'message' && cells.get(account.tenantId)?.cell === cell
          const tenantIds = [...new Set(reports.filter(isOfCell).map(({ account }) => account.tenantId))]
          const { length = 0 } = callback.body ?? {}
          // One that came through another cell is repeated by that one.
          if (passed.length === 1 && tenantIds.length > 0 && length <= largestRepeated)
            repeat(once, { tenantIds, cell })
          const detail = 'The account of this callback is being moved; try again shortly'
          throw new Problem('service_unavailable', detail, { cause })
        }
      }
      await Promise.all([...named].map(sendTo))
    },
  }
}

/** Headers of one connection, and those that describe a body as it was sent. */
const left = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'])

async function send(
  { method, url, headers, body }: RawCallback,
  { passed, to }: { passed: readonly string[]; to: string | undefined },
): Promise<void> {
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string' && !left.has(entry[0]) && !entry[0].startsWith('x-forwarded-')
  })
  if (to === undefined) throw new Error('CELLS does not have the address of the cell')
  const answer = await fetch(to + url, {
    method,
    headers: { ...Object.fromEntries(kept), [cellHeader]: passed.join(',') },
    ...(body && body.length > 0 && { body: new Uint8Array(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`the other cell answered ${answer.status}`)
}
