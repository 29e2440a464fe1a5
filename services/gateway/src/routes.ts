import {
  addSuppression,
  createNotification,
  getNotification,
  liftSuppression,
  listActivity as listContract,
  listSuppressions,
  retryActivity,
} from '@notify/contracts'
import { passOn, type RouteEntry, route } from '@notify/service-kit'
import { listActivity } from './activity/list-activity.ts'
import type { Context } from './context.ts'
import { createNotificationHandler } from './dispatching/create-notification.ts'
import { forwardTo } from './forwarding/forward.ts'

const dispatch = (context: Context) => context.dispatch

export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  passOn(createNotification, createNotificationHandler(context)),
  passOn(getNotification, forwardTo(dispatch, getNotification)),
  route(listContract, listActivity),
  passOn(retryActivity, forwardTo(dispatch, retryActivity)),
  passOn(listSuppressions, forwardTo(dispatch, listSuppressions)),
  passOn(addSuppression, forwardTo(dispatch, addSuppression)),
  passOn(liftSuppression, forwardTo(dispatch, liftSuppression)),
]
