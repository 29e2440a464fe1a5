import type { Channels } from './channel.ts'
import { email } from './email/channel.ts'
import { emailVariables } from './email/config.ts'
import { inApp } from './in_app/channel.ts'
import { sms } from './sms/channel.ts'
import { smsVariables } from './sms/config.ts'
import { webhook } from './webhook/channel.ts'
import { webhookVariables } from './webhook/config.ts'
import { whatsapp } from './whatsapp/channel.ts'
import { whatsappVariables } from './whatsapp/config.ts'

/** Every channel. A new one is its folder and a line in both tables. */
export const channels: Channels = { sms, email, whatsapp, in_app: inApp, webhook }

/** The environment variables of all channels. */
export const channelVariables = { ...smsVariables, ...emailVariables, ...whatsappVariables, ...webhookVariables }
