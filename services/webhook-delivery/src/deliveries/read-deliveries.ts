import type {
  getWebhookDelivery,
  listWebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliverySummary,
} from '@notify/contracts'
import { orderById, page, type Run } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { type Handler, Problem } from '@notify/service-kit'
import type { Selectable } from 'kysely'
import type { Context } from '../context.ts'
import { responsePlace } from '../db/places.ts'
import type { Tables } from '../db/schema.ts'
import { requireSubscription } from '../subscriptions/scope.ts'
import type { DeliveryRow } from './delivery-store.ts'

type AttemptRow = Selectable<Tables['attempts']>

/** The deliveries of a subscription, newest first. */
export const listDeliveries: Handler<Context, typeof listWebhookDeliveries> = async ({ db }, request) => {
  const { id } = await requireSubscription(db.run, request.principal, request.params.subscription_id)
  const { status } = request.query
  const { items, next_cursor } = await page(request, orderById('whdel'), (after, limit) =>
    listRows(db.run, { id, status }, { after, limit }),
  )
  return { items: items.map(summaryOf), next_cursor }
}

/** A delivery of the operator's tenant, with its attempts. */
export const getDelivery: Handler<Context, typeof getWebhookDelivery> = async (
  { db, secrets },
  { params, principal },
) => {
  const row = await findDelivery(db.run, principal.tenant_id, params.delivery_id)
  if (!row) throw noSuchDelivery()
  const attempts = await db.run<AttemptRow>('select * from attempts where delivery_id = $1 order by number', [row.id])
  return { ...summaryOf(row), attempts: attempts.map((attempt) => attemptOf(secrets.keyRing, attempt)) }
}

export async function findDelivery(run: Run, tenantId: string, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await run<DeliveryRow>('select * from deliveries where id = $1 and tenant_id = $2', [id, tenantId])
  return row
}

export function noSuchDelivery(): Problem {
  return new Problem('not_found', 'There is no webhook delivery with this id')
}

function listRows(
  run: Run,
  { id, status }: { id: string; status: WebhookDeliveryStatus | undefined },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  // Each state has its own range of the index; all of them are merged from there.
  const of = (state: string) => `(select * from deliveries where subscription_id = $1 and status = '${state}'
    and ($2::text is null or id < $2) order by id desc limit $3)`
  const states: WebhookDeliveryStatus[] = status ? [status] : ['pending', 'succeeded', 'exhausted']
  return run<DeliveryRow>(
    `select * from (${states.map(of).join(' union all ')}) as any_state order by id desc limit $3`,
    [id, after ?? null, limit],
  )
}

export function summaryOf(row: DeliveryRow): WebhookDeliverySummary {
  return {
    delivery_id: row.id as `whdel_${string}`,
    subscription_id: row.subscription_id as `whsub_${string}` | null,
    notification_id: row.notification_id as `notif_${string}` | null,
    event_type: row.event_type,
    status: row.status,
    attempts_made: row.attempts,
    last_status: row.last_status,
    last_error: row.last_error,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

function attemptOf(keyRing: KeyRing, attempt: AttemptRow): WebhookDelivery['attempts'][number] {
  const { number, started_at, finished_at, duration_ms, status, error, response, delivery_id } = attempt
  return {
    number,
    started_at: started_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    duration_ms,
    status,
    error,
    response_excerpt: response && keyRing.decrypt(response, responsePlace(delivery_id)),
  }
}
