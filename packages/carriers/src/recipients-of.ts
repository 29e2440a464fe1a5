import { formatMailbox } from './format-mailbox.ts'
import type { EmailMessage, Mailbox } from './messages.ts'

/** Every address that a message goes to. */
export function addressesOf({ to, cc = [], bcc = [] }: Pick<EmailMessage, 'to' | 'cc' | 'bcc'>): string[] {
  return [to, ...[...cc, ...bcc].map(({ address }) => address)]
}

/** Mailboxes as texts, each for one header value or list entry; undefined without any. */
export function mailboxTexts(
  mailboxes: readonly Mailbox[] | undefined,
  format: (address: string, name: string | undefined) => string = formatMailbox,
): string[] | undefined {
  return mailboxes && mailboxes.length > 0 ? mailboxes.map(({ address, name }) => format(address, name)) : undefined
}
