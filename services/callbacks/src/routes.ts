import { emailCallback, smsInboundCallback, smsStatusCallback } from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { createInboundSmsHandler } from './messages/receive-sms.ts'
import { createEmailHandler } from './receipts/receive-email-event.ts'
import { createSmsStatusHandler } from './receipts/receive-sms-status.ts'
import { createCallbackRecorder } from './records/record-callback.ts'

export function routesOf(context: Context): readonly RouteEntry<Context>[] {
  const record = createCallbackRecorder(context)
  return [
    route(smsStatusCallback, createSmsStatusHandler(record)),
    route(smsInboundCallback, createInboundSmsHandler(record)),
    route(emailCallback, createEmailHandler(record)),
  ]
}
