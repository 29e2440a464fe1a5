import type { getWebhookSubscription as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeSubscription } from './describe-subscription.ts'
import { requireSubscription } from './scope.ts'

export const getSubscription: Handler<Context, typeof contract> = async ({ db, secrets }, { params, principal }) =>
  describeSubscription(secrets.keyRing, await requireSubscription(db.run, principal, params.subscription_id))
