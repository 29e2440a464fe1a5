import {
  addSuppression,
  cancelNotification,
  createDomain,
  createNotification,
  createNotificationBatch,
  createTemplate,
  deleteDomain,
  deleteTemplate,
  getDomain,
  getNotification,
  getTemplate,
  liftSuppression,
  listActivity as listContract,
  listDomains,
  listSuppressions,
  listTemplates,
  previewTemplate,
  replaceTemplate,
  retryActivity,
  verifyDomain,
} from '@notify/contracts'
import { passOn, type RouteEntry, route } from '@notify/service-kit'
import { listActivity } from './activity/list-activity.ts'
import { withOwnApplication } from './applications/require-own-application.ts'
import type { Context } from './context.ts'
import { createBatchHandler } from './dispatching/create-batch.ts'
import { createNotificationHandler } from './dispatching/create-notification.ts'
import { forwardTo } from './forwarding/forward.ts'

const dispatch = (context: Context) => context.dispatch

export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  passOn(createNotification, createNotificationHandler(context)),
  passOn(createNotificationBatch, createBatchHandler(forwardTo(dispatch, createNotificationBatch))),
  passOn(cancelNotification, forwardTo(dispatch, cancelNotification)),
  passOn(getNotification, forwardTo(dispatch, getNotification)),
  route(listContract, listActivity),
  passOn(retryActivity, forwardTo(dispatch, retryActivity)),
  passOn(listDomains, forwardTo(dispatch, listDomains)),
  passOn(createDomain, forwardTo(dispatch, createDomain)),
  passOn(getDomain, forwardTo(dispatch, getDomain)),
  passOn(deleteDomain, forwardTo(dispatch, deleteDomain)),
  passOn(verifyDomain, forwardTo(dispatch, verifyDomain)),
  passOn(listSuppressions, forwardTo(dispatch, listSuppressions)),
  passOn(addSuppression, forwardTo(dispatch, addSuppression)),
  passOn(liftSuppression, forwardTo(dispatch, liftSuppression)),
  passOn(listTemplates, forwardTo(dispatch, listTemplates)),
  passOn(createTemplate, withOwnApplication(forwardTo(dispatch, createTemplate))),
  passOn(getTemplate, forwardTo(dispatch, getTemplate)),
  passOn(replaceTemplate, withOwnApplication(forwardTo(dispatch, replaceTemplate))),
  passOn(deleteTemplate, forwardTo(dispatch, deleteTemplate)),
  passOn(previewTemplate, forwardTo(dispatch, previewTemplate)),
]
