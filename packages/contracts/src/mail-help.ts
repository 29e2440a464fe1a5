import type { ErrorCode, ErrorHelp } from './errors.ts'

type MailCode = Extract<ErrorCode, `attachment_${string}` | 'domain_not_verified' | 'layout_in_use'>

/** The help of errors of emails. */
export const mailHelp: Readonly<Record<MailCode, ErrorHelp>> = {
  attachment_not_available: {
    meaning:
      'An attachment cannot be read from its URL: the answer is not 200, is too large, or does not arrive in time.',
    action: 'Use a URL that answers with 200 and without a redirect, or send the bytes as `content`.',
  },
  layout_in_use: {
    meaning: 'Events or stored templates use the layout. The detail names them.',
    action: 'Give them another layout or none, in their drafts too, and try again.',
  },
  domain_not_verified: {
    meaning: 'The sender address belongs to a domain that is not verified.',
    action: 'Publish the DNS records of the domain and verify it, or omit from.',
  },
}
