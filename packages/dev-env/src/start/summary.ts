import { relative } from 'node:path'
import { Channel } from '@notify/contracts'
import { type DevFile, devFilePath } from '../dev-file.ts'

/** What a person wants to know once everything is ready, and one command to paste. */
export function summary(dev: DevFile, dataDir: string): string {
  return `
Ready.

  API              ${dev.base_url}
  Console          ${dev.console_url}   (sign in with one click)
  Carrier sandbox  ${dev.sandbox_url}   (shows every message that was sent)
  Inbox            ${dev.demo_inbox_url}   (the live inbox of a user, as in a customer's application)
  Keys and URLs    ${relative(process.cwd(), devFilePath(dataDir))}
  Logs             ${relative(process.cwd(), dataDir)}/logs/

Send an SMS:

  curl -sS ${dev.base_url}/api/v1/notifications \\
    -H 'Authorization: Bearer ${dev.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"channel":"sms","event_key":"order.shipped","recipient":{"phone":"+14155550100"},"data":{"name":"Ada","order":"A-1001"}}'

The event goes by ${Channel.options.join(', ')}: ${dev.base_url}/docs shows the recipient of each.

Ctrl-C stops everything.
`
}
