import { parseDevelopmentAllowList } from '@notify/egress-guard'
import { parsedBy } from '@notify/privacy'
import { duration, readableFile } from '@notify/service-kit'
import { z } from 'zod'
import { concurrency } from '../concurrency.ts'

export const emailVariables = {
  EMAIL_CONCURRENCY: concurrency(48).describe(
    'Emails handed over at the same time, in each of the lanes `otp` and `transactional` of one worker',
  ),
  EMAIL_BULK_CONCURRENCY: concurrency(24).describe('The same in the lane `bulk`'),
  ATTACHMENT_TIMEOUT: duration('3s').describe(
    'Longest download of an attachment, from DNS to the last byte; its request waits for it',
  ),
  ATTACHMENT_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform(parsedBy(parseDevelopmentAllowList))
    .describe(
      'Hosts that attachments may be read from although they are not public, `host:port` or networks, comma separated; for development, refused in production',
    ),
  ATTACHMENT_CA_FILE: readableFile()
    .optional()
    .describe("CA certificates, PEM, that verify hosts of attachments besides the system's"),
}
