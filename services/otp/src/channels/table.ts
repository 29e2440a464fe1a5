import type { OtpChannel } from '@notify/contracts'
import type { CodeChannel } from './code-channel.ts'
import { email } from './email.ts'
import { sms } from './sms.ts'
import { whatsapp } from './whatsapp.ts'

/** The channels that codes are sent by. A new one is its file and a line here. */
export const codeChannels: Readonly<Record<OtpChannel, CodeChannel>> = { sms, email, whatsapp }
