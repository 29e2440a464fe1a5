import type { Report } from '@notify/carriers/receiving'
import { prepared, type Queries } from '@notify/database'
import { createTtlCache, Problem } from '@notify/service-kit'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { build } from '../db/schema.ts'

/** Names the cell that a carrier called, whose address its signature covers. */
export const cellHeader = 'x-notify-cell'
const timeoutMs = 5000
const rememberedMs = 1000

/** A callback as it came. */
export interface RawCallback {
  method: string
  /** Path and query. */
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer | undefined
}

export interface Forwarding {
  /** The reports that this cell records. Receipts are of messages that it sent, or not known here and ignored. */
  recordedHere(reports: readonly Report[]): Promise<Report[]>
  /** Hands a callback on to the cells of its tenants. @throws Problem `service_unavailable`: the carrier must repeat it */
  forward(reports: readonly Report[], callback: RawCallback): Promise<void>
}

const findMoved = prepared('find-moved-tenants', ({ seconds }: { seconds: number }) =>
  build
    .selectFrom('moved_tenants')
    .select(['tenant_id', 'cell'])
    .where('moved_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`),
)

type Cells = Pick<Config, 'CELL' | 'CELLS' | 'FORWARD_CALLBACKS_FOR'>

/** Forwards callbacks for tenants that moved to another cell: carriers call the old address for a while. */
export function createForwarding(db: Queries, { CELL, CELLS, FORWARD_CALLBACKS_FOR }: Cells): Forwarding {
  const moved = createTtlCache<ReadonlyMap<string, string>>({
    ttlMs: rememberedMs,
    maxEntries: 1,
    async load() {
      const rows = await db.run(findMoved({ seconds: FORWARD_CALLBACKS_FOR / 1000 }))
      return new Map(rows.map(({ tenant_id, cell }) => [tenant_id as string, cell]))
    },
  })
  const cellsOf = async () => (CELL === undefined ? new Map<string, string>() : await moved.get('all'))
  return {
    async recordedHere(reports) {
      const cells = await cellsOf()
      return reports.filter(({ type, account }) => type === 'receipt' || !cells.has(account.tenantId))
    },
    async forward(reports, callback) {
      // A callback that was forwarded goes no further, so that two cells never play ball with one.
      if (callback.headers[cellHeader] !== undefined) return
      const cells = await cellsOf()
      const named = new Set(reports.flatMap(({ account }) => cells.get(account.tenantId) ?? []))
      await Promise.all([...named].map((cell) => send(callback, { from: CELL!, to: CELLS.get(cell) })))
    },
  }
}

/** Headers of one connection, and those that describe a body as it was sent. */
const left = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'])

async function send(
  { method, url, headers, body }: RawCallback,
  { from, to }: { from: string; to: string | undefined },
): Promise<void> {
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string' && !left.has(entry[0]) && !entry[0].startsWith('x-forwarded-')
  })
  try {
    if (to === undefined) throw new Error('CELLS does not have the address of the cell')
    const answer = await fetch(to + url, {
      method,
      headers: { ...Object.fromEntries(kept), [cellHeader]: from },
      ...(body && body.length > 0 && { body: new Uint8Array(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`the other cell answered ${answer.status}`)
  } catch (error) {
    const detail = 'The account of this callback is being moved; try again shortly'
    throw new Problem('service_unavailable', detail, { cause: error })
  }
}
