import { z } from 'zod'

/** What accounts of every carrier have. */
export const webhookUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()
export const secretText = z.string().min(1).max(8192)
