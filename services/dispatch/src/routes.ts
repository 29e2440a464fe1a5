import {
  acceptNotifications,
  createTemplate as createTemplateContract,
  deleteTemplate as deleteTemplateContract,
  getNotification as getContract,
  getTemplate as getTemplateContract,
  listTemplates as listTemplatesContract,
  previewTemplate as previewTemplateContract,
  replaceTemplate as replaceTemplateContract,
  retryActivity,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import { createAcceptHandler } from './accept/accept-notifications.ts'
import type { Context } from './context.ts'
import { getNotification } from './notifications/get-notification.ts'
import { retryNotification } from './notifications/retry-notification.ts'
import { createTemplate } from './templates/create-template.ts'
import { deleteTemplate } from './templates/delete-template.ts'
import { getTemplate } from './templates/get-template.ts'
import { listTemplates } from './templates/list-templates.ts'
import { previewTemplate } from './templates/preview-template.ts'
import { replaceTemplate } from './templates/replace-template.ts'

/** What the `api` role answers. */
export const routesOf = (context: Context): readonly RouteEntry<Context>[] => [
  route(acceptNotifications, createAcceptHandler(context)),
  route(getContract, getNotification),
  route(retryActivity, retryNotification),
  route(listTemplatesContract, listTemplates),
  route(createTemplateContract, createTemplate),
  route(getTemplateContract, getTemplate),
  route(replaceTemplateContract, replaceTemplate),
  route(deleteTemplateContract, deleteTemplate),
  route(previewTemplateContract, previewTemplate),
]
