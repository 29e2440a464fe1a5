import type { InboundChannel } from '../inbound-channel.ts'
import { sms } from './sms.ts'
import { whatsapp } from './whatsapp.ts'

/** The channels by which people answer. */
export const inboundChannels = { sms, whatsapp } as unknown as Readonly<Record<string, InboundChannel>>
