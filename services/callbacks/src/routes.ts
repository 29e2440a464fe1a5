import { smsStatusCallback } from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { createSmsStatusHandler } from './receipts/receive-sms-status.ts'

export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  route(smsStatusCallback, createSmsStatusHandler(context)),
]
