import { emailCallback, smsInboundCallback, smsStatusCallback } from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { receiveSms } from './messages/receive-sms.ts'
import { receiveEmailEvent } from './receipts/receive-email-event.ts'
import { receiveSmsStatus } from './receipts/receive-sms-status.ts'

export const routes: readonly RouteEntry<Context>[] = [
  route(smsStatusCallback, receiveSmsStatus),
  route(smsInboundCallback, receiveSms),
  route(emailCallback, receiveEmailEvent),
]
