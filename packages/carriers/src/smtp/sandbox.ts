import type { EmailMessage } from '../messages.ts'
import type { CarrierAccount, Sender, SenderOptions } from '../sender.ts'
import { createSesSender } from '../ses/send.ts'
import type { SmtpCredentials } from './credentials.ts'

/** Sends emails of test keys to the sandbox through the SES protocol. */
export function createSandboxSender(options: SenderOptions<object>): Sender<SmtpCredentials, EmailMessage> {
  const { send, close } = createSesSender({ ...options, environment: {} })
  return { send: (account, message) => send(inSandbox(account), message), close }
}

function inSandbox({ credentials: { from, from_name }, ...account }: CarrierAccount<SmtpCredentials>) {
  return {
    ...account,
    credentials: {
      region: 'us-east-1',
      access_key_id: 'SANDBOXSANDBOXSANDBOX',
      secret_access_key: 'sandbox-sandbox-sandbox',
      from,
      ...(from_name === undefined ? {} : { from_name }),
    },
  }
}
