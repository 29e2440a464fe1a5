import { environmentOf, receivers } from '@notify/carriers/receiving'
import type { Logger } from '@notify/service-kit'
import type { Config } from '../config.ts'

/**
 * Starts the receiver of every kind, for callbacks to this cell and for those that another one forwards.
 * @returns their states by kind and the cell that was called
 */
export function startReceivers(config: Config, log: Logger): (kind: string, cell?: string) => never {
  const states = new Map<string, unknown>()
  for (const [kind, receiver] of Object.entries(receivers)) {
    if (!receiver) continue
    const environment = environmentOf(config, receiver)
    states.set(kind, receiver.start({ publicUrl: config.PUBLIC_URL, environment, log }))
    for (const [cell, publicUrl] of config.CELLS) {
      states.set(`${kind} ${cell}`, receiver.start({ publicUrl, environment, log }))
    }
  }
  // Each state returns only to its own receiver's endpoints.
  return (kind, cell) => (states.get(`${kind} ${cell}`) ?? states.get(kind)) as never
}
