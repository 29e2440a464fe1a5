import { expect } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { type Process, startProcess, type Topic, topic } from '@notify/test-kit/topic'

export let env: TestEnv
export let one: Process
export let own: Topic

export async function startServers(): Promise<void> {
  env = await TestEnv.start([])
}

/** The first process of a test, or the one after its stop. */
export async function startConsuming(): Promise<void> {
  one = await startProcess(env)
}

export function chooseTopic(): void {
  own = topic()
}

/** All published messages are acknowledged. */
export const settled = (durable: string) =>
  eventually(async () => {
    const { num_pending, num_ack_pending } = await one.bus.jsm.consumers.info('CONSENT', durable)
    expect({ num_pending, num_ack_pending }).toEqual({ num_pending: 0, num_ack_pending: 0 })
  })
