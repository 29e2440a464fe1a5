import type { Channel } from '@notify/contracts'
import type { DemoChannel } from './demo-channel.ts'
import { email } from './email.ts'
import { sms } from './sms.ts'
import { webhook } from './webhook.ts'
import { whatsapp } from './whatsapp.ts'

/** The channels with an account or an event of their own in the demo. */
const table: { [C in Channel]?: DemoChannel<C> } = { sms, email, webhook, whatsapp }

export const demoChannels = Object.entries(table) as [Channel, DemoChannel][]
