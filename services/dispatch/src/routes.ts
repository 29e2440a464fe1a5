import {
  acceptNotifications as acceptContract,
  acceptServiceNotifications as acceptServiceContract,
  addSuppression as addContract,
  cancelNotification as cancelContract,
  changeProvider as changeProviderContract,
  compareNotifications as compareContract,
  createDomain as createDomainContract,
  createEvent as createEventContract,
  createLayout as createLayoutContract,
  createNotificationBatch,
  createProvider as createProviderContract,
  createSubscriptionProvider as createSubscriptionProviderContract,
  createTemplate as createTemplateContract,
  createTopic as createTopicContract,
  deactivateEvent as deactivateEventContract,
  deleteDomain as deleteDomainContract,
  deleteLayout as deleteLayoutContract,
  deleteProvider as deleteProviderContract,
  deleteRecipient as deleteRecipientContract,
  deleteTemplate as deleteTemplateContract,
  deleteTopic as deleteTopicContract,
  findEvents as findEventsContract,
  findProviders as findProvidersContract,
  getNotification as getContract,
  getDomain as getDomainContract,
  getEvent as getEventContract,
  getEventTranslation as getEventTranslationContract,
  getEventVersion as getEventVersionContract,
  getLayout as getLayoutContract,
  getLayoutVersion as getLayoutVersionContract,
  getProvider as getProviderContract,
  getRecipient as getRecipientContract,
  getTemplate as getTemplateContract,
  getTemplateTranslation as getTemplateTranslationContract,
  getTopic as getTopicContract,
  judgeHandOffs as judgeHandOffsContract,
  liftSuppression as liftContract,
  listSuppressions as listContract,
  listDomains as listDomainsContract,
  listEvents as listEventsContract,
  listEventTranslations as listEventTranslationsContract,
  listEventVersions as listEventVersionsContract,
  listFailures as listFailuresContract,
  listLayouts as listLayoutsContract,
  listLayoutVersions as listLayoutVersionsContract,
  listProviderKinds as listProviderKindsContract,
  listProviders as listProvidersContract,
  listTemplates as listTemplatesContract,
  listTemplateTranslations as listTemplateTranslationsContract,
  listTopics as listTopicsContract,
  listWhatsAppTemplates,
  previewEvent as previewEventContract,
  previewLayout as previewLayoutContract,
  previewTemplate as previewTemplateContract,
  publishEvent as publishEventContract,
  putEventTranslation as putEventTranslationContract,
  putRecipient as putRecipientContract,
  putTemplateTranslation as putTemplateTranslationContract,
  readAttempts as readAttemptsContract,
  readContent as readContentContract,
  readProviders as readProvidersContract,
  replaceEvent as replaceEventContract,
  replaceLayout as replaceLayoutContract,
  replaceTemplate as replaceTemplateContract,
  replaceTopic as replaceTopicContract,
  restoreEventVersion as restoreEventVersionContract,
  retryActivity,
  rotateProviderSecret as rotateProviderSecretContract,
  rotateSubscriptionSecret as rotateSubscriptionSecretContract,
  sendEventTest as sendEventTestContract,
  sendProviderTest as sendProviderTestContract,
  syncWhatsAppTemplates,
  testProvider as testProviderContract,
  verifyDomain as verifyDomainContract,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { WithAcceptOne } from './accept/accept-candidate.ts'
import type { AcceptContext } from './accept/accept-item.ts'
import { acceptNotifications } from './accept/accept-notifications.ts'
import { acceptServiceNotifications } from './accept/accept-service-notifications.ts'
import type { WithLockWatch } from './accept/commit-judged.ts'
import { createBatch } from './accept/create-batch.ts'
import { audienceRoutes } from './audiences/routes.ts'
import { listCarrierTemplates } from './catalogue/carrier-templates/list-carrier-templates.ts'
import { requestTemplateSync } from './catalogue/carrier-templates/request-sync.ts'
import { deleteProvider } from './catalogue/delete-provider.ts'
import { createDomain } from './catalogue/domains/create-domain.ts'
import { deleteDomain } from './catalogue/domains/delete-domain.ts'
import { getDomain } from './catalogue/domains/get-domain.ts'
import { listDomains } from './catalogue/domains/list-domains.ts'
import { verifyDomain } from './catalogue/domains/verify-domain.ts'
import { createEvent } from './catalogue/events/create-event.ts'
import { deactivateEvent } from './catalogue/events/deactivate-event.ts'
import { findEvents } from './catalogue/events/find-events.ts'
import { previewEvent } from './catalogue/events/preview-event.ts'
import { publishEvent } from './catalogue/events/publish-event.ts'
import { getEvent, getEventVersion, listEvents, listEventVersions } from './catalogue/events/read-events.ts'
import { replaceEvent } from './catalogue/events/replace-event.ts'
import { restoreEventVersion } from './catalogue/events/restore-event-version.ts'
import { getEventTranslation, listEventTranslations, putEventTranslation } from './catalogue/events/translate-event.ts'
import { createLayout } from './catalogue/layouts/create-layout.ts'
import { deleteLayout } from './catalogue/layouts/delete-layout.ts'
import { previewLayout } from './catalogue/layouts/preview-layout.ts'
import { getLayout, listLayouts } from './catalogue/layouts/read-layouts.ts'
import { getLayoutVersion, listLayoutVersions } from './catalogue/layouts/read-versions.ts'
import { replaceLayout } from './catalogue/layouts/replace-layout.ts'
import { preferenceRoutes } from './catalogue/preferences/routes.ts'
import { changeProvider } from './catalogue/providers/change-provider.ts'
import { createProvider } from './catalogue/providers/create-provider.ts'
import { findProviders } from './catalogue/providers/find-providers.ts'
import {
  createSubscriptionProvider,
  rotateSubscriptionSecret,
} from './catalogue/providers/issue-subscription-secret.ts'
import { listProviderKinds } from './catalogue/providers/list-provider-kinds.ts'
import type { WithHostResolver } from './catalogue/providers/read-credentials.ts'
import { getProvider, listProviders } from './catalogue/providers/read-providers.ts'
import { rotateProviderSecret } from './catalogue/providers/rotate-provider-secret.ts'
import { testProvider } from './catalogue/providers/test-provider.ts'
import { deleteRecipient } from './catalogue/recipients/delete-recipient.ts'
import { getRecipient } from './catalogue/recipients/get-recipient.ts'
import { putRecipient } from './catalogue/recipients/put-recipient.ts'
import { addSuppression } from './catalogue/suppressions/add-suppression.ts'
import { liftSuppression } from './catalogue/suppressions/lift-suppression.ts'
import { listSuppressions } from './catalogue/suppressions/list-suppressions.ts'
import { createTemplate } from './catalogue/templates/create-template.ts'
import { deleteTemplate } from './catalogue/templates/delete-template.ts'
import { getTemplate } from './catalogue/templates/get-template.ts'
import { listTemplates } from './catalogue/templates/list-templates.ts'
import { previewTemplate } from './catalogue/templates/preview-template.ts'
import { replaceTemplate } from './catalogue/templates/replace-template.ts'
import {
  getTemplateTranslation,
  listTemplateTranslations,
  putTemplateTranslation,
} from './catalogue/templates/translate-template.ts'
import { createTopic } from './catalogue/topics/create-topic.ts'
import { deleteTopic } from './catalogue/topics/delete-topic.ts'
import { getTopic, listTopics } from './catalogue/topics/read-topics.ts'
import { replaceTopic } from './catalogue/topics/replace-topic.ts'
import type { Context } from './context.ts'
import type { TestContext } from './deliver/test-sends/compose-test.ts'
import { sendEventTest } from './deliver/test-sends/send-event-test.ts'
import { sendProviderTest } from './deliver/test-sends/send-provider-test.ts'
import { listFailures } from './outcome/failures/list-failures.ts'
import { judgeHandOffs } from './outcome/hand-offs/judge-hand-offs.ts'
import { cancelNotification } from './outcome/notifications/cancel-notification.ts'
import { compareNotifications } from './outcome/notifications/compare-notifications.ts'
import { getNotification } from './outcome/notifications/get-notification.ts'
import { readAttempts } from './outcome/notifications/read-attempts.ts'
import { readContent } from './outcome/notifications/read-content.ts'
import { readProviders } from './outcome/notifications/read-providers.ts'
import { retryNotification } from './outcome/notifications/retry-notification.ts'

/** The context of the routes. */
export type RouteContext = Context & AcceptContext & WithAcceptOne & WithLockWatch & WithHostResolver & TestContext

/** What the `api` role answers. */
export const routes: readonly RouteEntry<RouteContext>[] = [
  route(acceptContract, acceptNotifications, { checksWait: true }),
  route(acceptServiceContract, acceptServiceNotifications),
  route(compareContract, compareNotifications),
  route(judgeHandOffsContract, judgeHandOffs),
  route(listFailuresContract, listFailures),
  route(readContentContract, readContent),
  route(readAttemptsContract, readAttempts),
  route(readProvidersContract, readProviders),
  route(createNotificationBatch, createBatch),
  route(getContract, getNotification),
  route(cancelContract, cancelNotification),
  route(retryActivity, retryNotification),
  route(listDomainsContract, listDomains),
  route(createDomainContract, createDomain),
  route(getDomainContract, getDomain),
  route(deleteDomainContract, deleteDomain),
  route(verifyDomainContract, verifyDomain),
  route(listContract, listSuppressions),
  route(addContract, addSuppression),
  route(liftContract, liftSuppression),
  route(getRecipientContract, getRecipient),
  route(putRecipientContract, putRecipient),
  route(deleteRecipientContract, deleteRecipient),
  route(listTemplatesContract, listTemplates),
  route(createTemplateContract, createTemplate),
  route(getTemplateContract, getTemplate),
  route(replaceTemplateContract, replaceTemplate),
  route(deleteTemplateContract, deleteTemplate),
  route(previewTemplateContract, previewTemplate),
  route(listTopicsContract, listTopics),
  route(createTopicContract, createTopic),
  route(getTopicContract, getTopic),
  route(replaceTopicContract, replaceTopic),
  route(deleteTopicContract, deleteTopic),
  route(listLayoutsContract, listLayouts),
  route(createLayoutContract, createLayout),
  route(getLayoutContract, getLayout),
  route(replaceLayoutContract, replaceLayout),
  route(deleteLayoutContract, deleteLayout),
  route(previewLayoutContract, previewLayout),
  route(listLayoutVersionsContract, listLayoutVersions),
  route(getLayoutVersionContract, getLayoutVersion),
  ...preferenceRoutes,
  route(listEventsContract, listEvents),
  route(findEventsContract, findEvents),
  route(createEventContract, createEvent),
  route(getEventContract, getEvent),
  route(replaceEventContract, replaceEvent),
  route(listEventTranslationsContract, listEventTranslations),
  route(getEventTranslationContract, getEventTranslation),
  route(putEventTranslationContract, putEventTranslation),
  route(listTemplateTranslationsContract, listTemplateTranslations),
  route(getTemplateTranslationContract, getTemplateTranslation),
  route(putTemplateTranslationContract, putTemplateTranslation),
  route(publishEventContract, publishEvent),
  route(deactivateEventContract, deactivateEvent),
  route(previewEventContract, previewEvent),
  route(listEventVersionsContract, listEventVersions),
  route(getEventVersionContract, getEventVersion),
  route(restoreEventVersionContract, restoreEventVersion),
  route(listProviderKindsContract, listProviderKinds),
  route(listProvidersContract, listProviders),
  route(createProviderContract, createProvider),
  route(getProviderContract, getProvider),
  route(changeProviderContract, changeProvider),
  route(deleteProviderContract, deleteProvider),
  route(testProviderContract, testProvider),
  route(sendProviderTestContract, sendProviderTest),
  route(sendEventTestContract, sendEventTest),
  route(findProvidersContract, findProviders),
  route(rotateProviderSecretContract, rotateProviderSecret),
  route(createSubscriptionProviderContract, createSubscriptionProvider),
  route(rotateSubscriptionSecretContract, rotateSubscriptionSecret),
  route(listWhatsAppTemplates, listCarrierTemplates),
  route(syncWhatsAppTemplates, requestTemplateSync),
  ...audienceRoutes,
]
