import { type AttachmentInput, attachmentLimits, tooManyBytes } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { FetchFile } from '../channel.ts'
import { typeFault } from './attachment-type.ts'

/**
 * Reads the files of a request, those with an address at the same time.
 * @throws Problem naming the file
 */
export async function readAttachments(given: readonly AttachmentInput[], fetch: FetchFile): Promise<Buffer[]> {
  const files = await Promise.all(
    given.map(({ content = '', url }, at) =>
      url === undefined ? Buffer.from(content, 'base64') : fetch(url, `attachments.${at}.url`),
    ),
  )
  const bytes = files.reduce((sum, { length }) => sum + length, 0)
  if (bytes > attachmentLimits.bytes) throw fieldProblem('validation_failed', 'attachments', tooManyBytes)
  for (const [at, file] of files.entries()) {
    const fault = await typeFault(given[at]!.content_type, file)
    if (fault) throw fieldProblem('validation_failed', `attachments.${at}.content_type`, fault)
  }
  return files
}
