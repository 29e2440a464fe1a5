import { z } from 'zod'

export const Channel = z.enum(['email', 'sms', 'whatsapp', 'in_app', 'webhook'])
export type Channel = z.infer<typeof Channel>
