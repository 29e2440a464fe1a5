import {
  changeWebhookSubscription,
  createWebhookSubscription,
  deleteWebhookSubscription,
  getWebhookDelivery,
  getWebhookSubscription,
  listWebhookDeliveries,
  listWebhookSubscriptions,
  readWebhookAttempts,
  replayWebhookDeliveries,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhookSubscription,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { getDelivery } from './deliveries/get-delivery.ts'
import { listDeliveries } from './deliveries/list-deliveries.ts'
import { readAttempts } from './deliveries/read-attempts.ts'
import { replayDeliveries } from './replays/replay-deliveries.ts'
import { replayDelivery } from './replays/replay-delivery.ts'
import { changeSubscription } from './subscriptions/change-subscription.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { deleteSubscription } from './subscriptions/delete-subscription.ts'
import { getSubscription } from './subscriptions/get-subscription.ts'
import { listSubscriptions } from './subscriptions/list-subscriptions.ts'
import { rotateSecret } from './subscriptions/rotate-secret.ts'
import { testSubscription } from './subscriptions/test-subscription.ts'

export const routes: readonly RouteEntry<Context>[] = [
  route(listWebhookSubscriptions, listSubscriptions),
  route(createWebhookSubscription, createSubscription),
  route(getWebhookSubscription, getSubscription),
  route(changeWebhookSubscription, changeSubscription),
  route(deleteWebhookSubscription, deleteSubscription),
  route(rotateWebhookSecret, rotateSecret),
  route(testWebhookSubscription, testSubscription),
  route(listWebhookDeliveries, listDeliveries),
  route(replayWebhookDeliveries, replayDeliveries),
  route(getWebhookDelivery, getDelivery),
  route(replayWebhookDelivery, replayDelivery),
  route(readWebhookAttempts, readAttempts),
]
