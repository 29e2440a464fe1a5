import { birdReceiver } from './bird/receive.ts'
import type { Intersection } from './intersection.ts'
import { mailgunReceiver } from './mailgun/receive.ts'
import { metaReceiver } from './meta/receive.ts'
import { postmarkReceiver } from './postmark/receive.ts'
import type { ReceiverDefinition } from './receiver.ts'
import { resendReceiver } from './resend/receive.ts'
import { sendgridReceiver } from './sendgrid/receive.ts'
import { sesReceiver } from './ses/receive.ts'
import { telnyxReceiver } from './telnyx/receive.ts'
import { twilioReceiver } from './twilio/receive.ts'
import { vonageReceiver } from './vonage/receive.ts'

export { environmentOf } from './environment-of.ts'
export type * from './receiver.ts'

/** The receiving half of every kind; `null` for carriers without callbacks. */
const table = {
  twilio: twilioReceiver,
  ses: sesReceiver,
  smtp: null,
  whatsapp_cloud: metaReceiver,
  sendgrid: sendgridReceiver,
  postmark: postmarkReceiver,
  mailgun: mailgunReceiver,
  resend: resendReceiver,
  vonage: vonageReceiver,
  telnyx: telnyxReceiver,
  bird: birdReceiver,
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
