import {
  acceptNotifications,
  addSuppression as addContract,
  getNotification as getContract,
  liftSuppression as liftContract,
  listSuppressions as listContract,
  retryActivity,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import { createAcceptHandler } from './accept/accept-notifications.ts'
import type { Context } from './context.ts'
import { getNotification } from './notifications/get-notification.ts'
import { retryNotification } from './notifications/retry-notification.ts'
import { addSuppression } from './suppressions/add-suppression.ts'
import { liftSuppression } from './suppressions/lift-suppression.ts'
import { listSuppressions } from './suppressions/list-suppressions.ts'

/** What the `api` role answers. */
export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  route(acceptNotifications, createAcceptHandler(context)),
  route(getContract, getNotification),
  route(retryActivity, retryNotification),
  route(listContract, listSuppressions),
  route(addContract, addSuppression),
  route(liftContract, liftSuppression),
]
