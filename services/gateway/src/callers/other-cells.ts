import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Cells, Problem } from '@notify/service-kit'

/** How long a request waits for its tenant to arrive; callers get a response within 8 s. */
const arrival = { mostMs: 6000, everyMs: 100 }

/** The tenant of the credentials is served by another cell. */
export class WrongCell extends Error {
  override name = 'WrongCell'
  readonly cell: string
  /** Whether the credentials are known here to be valid: anyone can make up a key that names a cell. */
  readonly isProven: boolean

  constructor(cell: string, { isProven = true } = {}) {
    super(`The tenant belongs to the cell ${cell}`)
    this.cell = cell
    this.isProven = isProven
  }
}

/** The refusal with the address of the same resource in the right cell. Nothing was done, so any request may be repeated there. */
export function wrongCell({ cell }: WrongCell, { url = '' }: Pick<IncomingMessage, 'url'>, cells: Cells): Problem {
  const base = cells.get(cell)
  const detail = base ? `This belongs to the cell ${cell}: send it to ${base}` : `This belongs to the cell ${cell}`
  return new Problem('wrong_cell', detail, base ? { headers: { Location: base + url } } : {})
}

interface Served {
  moved_to: string | null
  arriving: boolean
}

/**
 * Waits while the tenant arrives from another cell, where it is not served any more.
 * @param read reads the tenant again
 * @throws WrongCell when another cell serves it; Problem `service_unavailable` when it does not arrive in time
 */
export async function requireServed<S extends Served>(
  found: S | undefined,
  read: () => Promise<S | undefined>,
  { mostMs, everyMs } = arrival,
): Promise<S | undefined> {
  const deadline = performance.now() + mostMs
  let state = found
  while (state?.arriving) {
    if (performance.now() >= deadline) throw new Problem('service_unavailable', 'The tenant is being moved; try again')
    await delay(everyMs)
    state = await read()
  }
  if (state?.moved_to) throw new WrongCell(state.moved_to)
  return state
}

/** What an operator changed would be lost: in a cell that the tenant left, and in one that it has not reached. */
export function whyReadOnly({ moved_to, arriving }: Served): Problem | WrongCell | undefined {
  if (arriving)
    return new Problem(
      'service_unavailable',
      'The tenant is being moved to this installation; try again when the move has ended',
    )
  return moved_to === null ? undefined : new WrongCell(moved_to)
}
