import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

/** A header value. */
const Line = z.string().regex(/^[^\r\n]*$/, 'must be one line')

export const email = {
  template: z.strictObject({ subject: Line, body: z.string(), html_body: z.string().optional() }),
  recipientFields: ['email', 'name'],
  shownFields: ['subject', 'html_body', 'from'],
  showsData: false,
  sendsCodes: true,
  suppresses: true,
} as const satisfies ChannelContract
