import { setTimeout as delay } from 'node:timers/promises'
import { type CarrierAnswer, later, refusal } from '@notify/carriers/sending'
import type { Kit } from '@notify/service-kit'
import type { Provider } from '../../catalogue/providers/provider-directory.ts'
import type { Context } from '../../context.ts'
import type { CarrierMessage, Carriers } from '../call/carrier.ts'
import { createCarriers } from '../call/create-carriers.ts'
import { createTestLimit, type RequireTestRoom } from './test-limit.ts'

/** Less than the timeout of the gateway. */
const longestMs = 5000

/** The outcome of a message whose answer did not come. */
export const noAnswer: CarrierAnswer = {
  ...refusal('no_answer', later('The carrier has not answered yet; the message may have been sent'), null),
  outcome: 'unknown',
}

/** The resources of the role `api` for test messages. */
export interface TestSends {
  /** Hands a test message to a carrier, and waits for its answer for some seconds. */
  callCarrier: Carriers['send']
  requireTestRoom: RequireTestRoom
}

/** Carriers are opened with the first test message: most processes of this role send none. */
export function createTestSends(
  { lifecycle }: Kit,
  { config, carrierTable, channels }: Pick<Context, 'config' | 'carrierTable' | 'channels'>,
): TestSends {
  let open: Carriers | undefined
  lifecycle.onStop('carriers of test messages', () => open?.close())
  const CARRIER_TIMEOUT = Math.min(config.CARRIER_TIMEOUT, longestMs)
  return {
    callCarrier(provider: Provider, message: CarrierMessage) {
      open ??= createCarriers({ ...config, CARRIER_TIMEOUT }, carrierTable, channels)
      // The first message loads the client of the carrier, which may exceed the limit on a busy machine.
      return Promise.race([open.send(provider, message), delay(longestMs, noAnswer, { ref: false })])
    },
    requireTestRoom: createTestLimit(config.TEST_MESSAGES_PER_MINUTE),
  }
}
