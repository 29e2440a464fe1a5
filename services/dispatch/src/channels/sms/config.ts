import { z } from 'zod'
import { concurrency } from '../concurrency.ts'

export const smsVariables = {
  SEND_CONCURRENCY: concurrency(96).describe(
    'SMS in hand at the same time, in each of the lanes `otp` and `transactional` of one worker',
  ),
  BULK_CONCURRENCY: concurrency(24).describe('The same in the lane `bulk`'),
  CARRIER_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5000)
    .optional()
    .describe(
      'Connections to one SMS account, of one worker; by default as many as SMS may be in hand. With fewer, an SMS that got none within CARRIER_TIMEOUT is tried again later',
    ),
}
