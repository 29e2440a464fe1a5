import type { Channels } from './channel.ts'
import { email } from './email/channel.ts'
import { inApp } from './in_app/channel.ts'
import { sms } from './sms/channel.ts'
import { webhook } from './webhook/channel.ts'
import { whatsapp } from './whatsapp/channel.ts'

/** Every channel. A new one is its folder and a line here. */
export const channels: Channels = { sms, email, whatsapp, in_app: inApp, webhook }
