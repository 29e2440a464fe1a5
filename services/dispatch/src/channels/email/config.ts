import { concurrency } from '../concurrency.ts'

export const emailVariables = {
  EMAIL_CONCURRENCY: concurrency(48).describe(
    'Emails handed over at the same time, in each of the lanes `otp` and `transactional` of one worker',
  ),
  EMAIL_BULK_CONCURRENCY: concurrency(24).describe('The same in the lane `bulk`'),
}
