import { concurrency } from '../concurrency.ts'

export const smsVariables = {
  SEND_CONCURRENCY: concurrency(64).describe(
    'SMS in hand at the same time, in each of the lanes `otp` and `transactional` of one worker',
  ),
  BULK_CONCURRENCY: concurrency(16).describe('The same in the lane `bulk`'),
}
