import { oneLinePattern } from '@notify/contracts'
import { z } from 'zod'

/** The name of a sender in the From line. */
export const SenderName = z
  .string()
  .min(1)
  .max(200)
  .regex(oneLinePattern, 'must be one line without control characters')
