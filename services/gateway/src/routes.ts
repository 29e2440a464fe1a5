import { createNotification, getNotification, listActivity as listContract, retryActivity } from '@notify/contracts'
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
]
