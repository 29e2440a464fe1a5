import {
  cancelRetryJob,
  changeApiKey,
  changeApplication as changeApplicationContract,
  createApiKey,
  createApplication as createApplicationContract,
  createNotificationBatch as createBatchContract,
  createNotification as createContract,
  createRetryJob,
  deleteApplication as deleteApplicationContract,
  eraseOperator as eraseOperatorContract,
  exportAuditLog as exportAuditLogContract,
  exportActivity as exportContract,
  findById as findByIdContract,
  followPreferenceLink,
  getApiKey,
  getApplication as getApplicationContract,
  getActivity as getContract,
  getMe as getMeContract,
  getPrices as getPricesContract,
  getRetryJob,
  getUsage as getUsageContract,
  listApiKeys,
  listApiRequests,
  listApplications as listApplicationsContract,
  listAuditLog as listAuditLogContract,
  listActivity as listContract,
  listOperators as listOperatorsContract,
  listRetryJobs,
  listUsageLocales as listUsageLocalesContract,
  listUsageMessages as listUsageMessagesContract,
  lookUpRecipient as lookUpRecipientContract,
  putPrices as putPricesContract,
  retryActivity as retryContract,
  revokeApiKey,
  rotateApiKey,
  showPreferenceLink,
  summarizeActivity as summarizeContract,
} from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { passOn, type RouteEntry, route } from '@notify/service-kit'
import { exportActivity } from './activity/export-activity.ts'
import { getActivity } from './activity/get-activity.ts'
import { listActivity } from './activity/list-activity.ts'
import { retryActivity } from './activity/retry-activity.ts'
import { summarizeActivity } from './activity/summarize-activity.ts'
import { changeApplication } from './applications/change-application.ts'
import { createApplication } from './applications/create-application.ts'
import { deleteApplication } from './applications/delete-application.ts'
import { getApplication, listApplications } from './applications/read-applications.ts'
import { exportAuditLog } from './audit/export-audit-log.ts'
import { listAuditLog } from './audit/list-audit-log.ts'
import { getMe } from './callers/get-me.ts'
import type { RouteContext } from './context.ts'
import { createBatch } from './dispatching/create-batch.ts'
import { createNotification } from './dispatching/create-notification.ts'
import { findById } from './find/find-by-id.ts'
import { lookUpRecipient } from './find/look-up-recipient.ts'
import { forwardRoutes } from './forwarding/forward-routes.ts'
import { changeKey } from './keys/change-key.ts'
import { createKey } from './keys/create-key.ts'
import { getKey, listKeys } from './keys/read-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { rotateKey } from './keys/rotate-key.ts'
import { eraseOperator } from './operators/erase-operator.ts'
import { listOperators } from './operators/list-operators.ts'
import { followLink, showPage } from './preference-page/open-page.ts'
import { listRequests } from './requests/list-requests.ts'
import { cancelRetry } from './retries/cancel-retry.ts'
import { createRetry } from './retries/create-retry.ts'
import { getRetry, listRetries } from './retries/read-retries.ts'
import { getPrices, putPrices } from './usage/change-prices.ts'
import { getUsage, listUsageLocales } from './usage/get-usage.ts'
import { listUsageMessages } from './usage/list-usage-messages.ts'

const own: readonly RouteEntry<RouteContext>[] = [
  passOn(createContract, createNotification),
  passOn(createBatchContract, createBatch),
  route(listContract, listActivity),
  route(summarizeContract, summarizeActivity),
  route(exportContract, exportActivity),
  route(createRetryJob, createRetry),
  route(listRetryJobs, listRetries),
  route(getRetryJob, getRetry),
  route(cancelRetryJob, cancelRetry),
  // After routes with a fixed word where this one has `:id`.
  route(getContract, getActivity),
  passOn(retryContract, retryActivity),
  route(listApplicationsContract, listApplications),
  route(createApplicationContract, createApplication),
  route(getApplicationContract, getApplication),
  route(changeApplicationContract, changeApplication),
  route(deleteApplicationContract, deleteApplication),
  route(listApiKeys, listKeys),
  route(createApiKey, createKey),
  route(getApiKey, getKey),
  route(changeApiKey, changeKey),
  route(revokeApiKey, revokeKey),
  route(rotateApiKey, rotateKey),
  route(listApiRequests, listRequests),
  route(lookUpRecipientContract, lookUpRecipient),
  route(findByIdContract, findById),
  route(listAuditLogContract, listAuditLog),
  route(exportAuditLogContract, exportAuditLog),
  route(getUsageContract, getUsage),
  route(listUsageLocalesContract, listUsageLocales),
  route(listUsageMessagesContract, listUsageMessages),
  route(getPricesContract, getPrices),
  route(putPricesContract, putPrices),
  route(getMeContract, getMe),
  route(listOperatorsContract, listOperators),
  route(eraseOperatorContract, eraseOperator),
  route(showPreferenceLink, showPage),
  route(followPreferenceLink, followLink),
]

/** Own routes, then the forwarded routes of other services for API keys and operators. */
export const routes: readonly RouteEntry<RouteContext>[] = [...own, ...forwardRoutes(publicRoutes(), own)]
