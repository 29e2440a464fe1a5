import {
  createNotification,
  createTemplate,
  deleteTemplate,
  getNotification,
  getTemplate,
  listActivity as listContract,
  listTemplates,
  previewTemplate,
  replaceTemplate,
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
  route(listTemplates, forwardTo(dispatch, listTemplates)),
  route(createTemplate, forwardTo(dispatch, createTemplate)),
  route(getTemplate, forwardTo(dispatch, getTemplate)),
  route(replaceTemplate, forwardTo(dispatch, replaceTemplate)),
  route(deleteTemplate, forwardTo(dispatch, deleteTemplate)),
  route(previewTemplate, forwardTo(dispatch, previewTemplate)),
]
