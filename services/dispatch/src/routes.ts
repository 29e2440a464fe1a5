import {
  acceptNotifications,
  cancelNotification as cancelContract,
  createNotificationBatch,
  getNotification as getContract,
  retryActivity,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import { createAcceptHandler } from './accept/accept-notifications.ts'
import { createBatch } from './accept/create-batch.ts'
import type { Context } from './context.ts'
import { cancelNotification } from './notifications/cancel-notification.ts'
import { getNotification } from './notifications/get-notification.ts'
import { retryNotification } from './notifications/retry-notification.ts'

/** What the `api` role answers. */
export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  route(acceptNotifications, createAcceptHandler(context)),
  route(createNotificationBatch, createBatch),
  route(getContract, getNotification),
  route(cancelContract, cancelNotification),
  route(retryActivity, retryNotification),
]
