import type { Intersection } from './intersection.ts'
import { metaReceiver } from './meta/receive.ts'
import type { ReceiverDefinition } from './receiver.ts'
import { sesReceiver } from './ses/receive.ts'
import { twilioReceiver } from './twilio/receive.ts'

export { environmentOf } from './environment-of.ts'
export type * from './receiver.ts'

/** The receiving half of every kind; `null` for carriers without callbacks. */
const table = {
  twilio: twilioReceiver,
  ses: sesReceiver,
  smtp: null,
  whatsapp_cloud: metaReceiver,
} as const satisfies Record<string, ReceiverDefinition | null>

export type Receivers = Readonly<Record<string, ReceiverDefinition | null>>

/** The receivers by kind. A provider of kind `webhook` receives no callbacks. */
export const receivers: Receivers = { ...table, webhook: null }

type Environments = Intersection<NonNullable<(typeof table)[keyof typeof table]>['environment']>

/** The environment variables of all receiving halves, as parts of a zod object. */
export const receivingEnvironment = Object.assign(
  {},
  ...Object.values(table).map((receiver) => receiver?.environment),
) as Environments
