import { contactIdentified, messageReceived, preferenceChanged } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Context } from './context.ts'
import { applyPreference } from './messages/apply-preference.ts'
import { revokeByMessage } from './messages/revoke-by-message.ts'
import { identifyContact } from './users/identify-contact.ts'

const retry = ['250ms', '1s', '5s', '15s']
/** After this another process handles a STOP that a killed one held. Handling it twice changes nothing. */
const ackWait = '1s'

export const consumers: readonly ConsumerEntry<Context>[] = [
  consumer(messageReceived, {
    durable: 'consent-message-received',
    concurrency: 16,
    retry,
    ackWait,
    handle: revokeByMessage,
  }),
  consumer(preferenceChanged, {
    durable: 'consent-preference-changed',
    concurrency: 16,
    retry,
    ackWait,
    handle: applyPreference,
  }),
  consumer(contactIdentified, {
    durable: 'consent-contact-identified',
    concurrency: 16,
    retry,
    ackWait,
    handle: identifyContact,
  }),
]
