import {
  createNotificationBatch as createBatchContract,
  createNotification as createContract,
  createTemplate,
  createWebhookSubscription,
  listActivity as listContract,
  replaceTemplate,
  retryActivity as retryContract,
} from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { passOn, type RouteEntry, route } from '@notify/service-kit'
import { listActivity } from './activity/list-activity.ts'
import { retryActivity } from './activity/retry-activity.ts'
import { forwardWithOwnApplication } from './applications/require-own-application.ts'
import type { RouteContext } from './context.ts'
import { createBatch } from './dispatching/create-batch.ts'
import { createNotification } from './dispatching/create-notification.ts'
import { forwardRoutes } from './forwarding/forward-routes.ts'

const own: readonly RouteEntry<RouteContext>[] = [
  passOn(createContract, createNotification),
  passOn(createBatchContract, createBatch),
  route(listContract, listActivity),
  passOn(retryContract, retryActivity),
  passOn(createTemplate, forwardWithOwnApplication),
  passOn(replaceTemplate, forwardWithOwnApplication),
  passOn(createWebhookSubscription, forwardWithOwnApplication),
]

/** Own routes, then the forwarded routes of other services for API keys and operators. */
export const routes: readonly RouteEntry<RouteContext>[] = [...own, ...forwardRoutes(publicRoutes(), own)]
