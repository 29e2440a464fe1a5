import { bird } from '../bird/stand-in.ts'
import { mailgun } from '../mailgun/stand-in.ts'
import { postmark } from '../postmark/stand-in.ts'
import { resend } from '../resend/stand-in.ts'
import { sendgrid } from '../sendgrid/stand-in.ts'
import { telnyx } from '../telnyx/stand-in.ts'
import { vonage } from '../vonage/stand-in.ts'
import type { StandIn, WithWebhook } from './stand-in.ts'

/** The stand-ins that differ in their wire format alone. */
export const standIns: readonly StandIn<WithWebhook>[] = [sendgrid, postmark, mailgun, resend, vonage, telnyx, bird]
