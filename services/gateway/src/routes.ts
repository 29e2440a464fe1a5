import {
  addSuppression,
  createNotification,
  getNotification,
  liftSuppression,
  listActivity as listContract,
  listSuppressions,
  retryActivity,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import { listActivity } from './activity/list-activity.ts'
import type { Context } from './context.ts'
import { createNotificationHandler } from './dispatching/create-notification.ts'
import { forwardTo } from './forwarding/forward.ts'

const dispatch = (context: Context) => context.dispatch

export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  route(createNotification, createNotificationHandler(context)),
  route(getNotification, forwardTo(dispatch, getNotification)),
  route(listContract, listActivity),
  route(retryActivity, forwardTo(dispatch, retryActivity)),
  route(listSuppressions, forwardTo(dispatch, listSuppressions)),
  route(addSuppression, forwardTo(dispatch, addSuppression)),
  route(liftSuppression, forwardTo(dispatch, liftSuppression)),
]
