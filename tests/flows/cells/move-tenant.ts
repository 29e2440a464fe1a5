import type { ServiceProcess } from '@notify/dev-env'
import { type Cell, cells, command } from './two-cells.ts'

export const others = ['dispatch-worker', 'consent', 'inbox-stream', 'webhook-delivery'] as const

export const tenant = () => ['--tenant', cells.a.tenantId, '--application', cells.a.applicationId]

interface Move {
  /** To the other cell. */
  from?: Cell
  leave?: boolean
  flags?: ('--arriving' | '--dry-run')[]
}

const otherThan = (cell: Cell): Cell => (cell === 'a' ? 'b' : 'a')

/** Moves the rows of one service. @returns the counts of both sides */
export async function move(process: ServiceProcess, { from: cell = 'a', leave = false, flags = [] }: Move = {}) {
  const other = otherThan(cell)
  const from = await command(cell, process, ['export-tenant', ...tenant(), ...(leave ? ['--to', other] : [])])
  const to = await command(other, process, ['import-tenant', '--tenant', cells.a.tenantId, ...flags], from.output)
  const read = (text: string) => JSON.parse(text.split('\n').find((line) => line.startsWith('{"service"'))!)
  return { from: read(from.errors).counts, to: read(to.output).counts }
}

/** As the manual does it. @param meanwhile what happens when callbacks are forwarded */
export async function handOver(from: Cell, meanwhile = async () => {}): Promise<void> {
  await move('callbacks', { from, leave: true })
  await meanwhile()
  await move('gateway', { from, flags: ['--arriving'] })
  const left = await command(from, 'gateway', ['export-tenant', ...tenant(), '--to', otherThan(from)])
  await Promise.all(others.map((one) => move(one, { from, leave: true, flags: ['--arriving'] })))
  await move('callbacks', { from, flags: ['--arriving'] })
  const activate = ['import-tenant', '--tenant', cells.a.tenantId, '--activate']
  await command(otherThan(from), 'gateway', activate, left.output)
}
