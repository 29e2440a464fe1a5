import {
  channelContracts,
  type ExportedItem,
  type Id,
  type PriceList,
  type RouteReply,
  readCodeMessages,
  readProviders,
  type ServicePrincipal,
} from '@notify/contracts'
import type { RouteContext } from '../context.ts'
import { costOf, moneyOf, priceOf, readPrices } from '../usage/price-store.ts'
import { readCodeCredits } from '../usage/usage-store.ts'
import { type ActivityRow, describeItem } from './item-store.ts'

const itself: ServicePrincipal = { kind: 'service', service: 'gateway', permissions: ['timelines:read'] }
const timeoutMs = 5000

type Sent = RouteReply<typeof readProviders>['providers'][number]

/** Items with what lists do not show. @throws Problem `service_unavailable` when dispatch or otp does not answer */
export async function withDetails(
  context: RouteContext,
  tenantId: Id<'ten'>,
  rows: ActivityRow[],
): Promise<ExportedItem[]> {
  const messages = await messagesOf(context, tenantId, rows)
  const ofCodes = [...messages].flatMap(([id, all]) => (isCode(id) ? all : []))
  const charged = await readCodeCredits(context.db.run, ofCodes)
  const list = await readPrices(context.db.run, tenantId)
  const sent = await sentOf(context, tenantId, [...messages.values()].flat())
  const creditsOf = (ids: readonly Id<'notif'>[]) => ids.reduce((sum, id) => sum + (charged.get(id) ?? 0), 0)
  return rows.map((row) => {
    const ids = messages.get(row.transaction_id) ?? []
    const ofCarrier = ids.flatMap((id) => sent.get(id) ?? [])
    const { provider_id = null, provider_name = null } = ofCarrier.at(-1) ?? {}
    const parts = ofCarrier.flatMap(({ segments }) => segments ?? [])
    const cost = row.mode === 'live' ? paidFor(row, ofCarrier, list) : undefined
    return {
      ...describeItem(row),
      ...{ provider_id, provider_name },
      // Otp deletes the messages of a code long before its item.
      credits: isCode(row.transaction_id) && ids.length === 0 ? null : (row.credits ?? creditsOf(ids)),
      segments: parts.length === 0 ? null : parts.reduce((sum, one) => sum + one, 0),
      cost: cost === undefined ? null : moneyOf(cost),
      currency: cost === undefined ? null : list.currency,
    }
  })
}

const isCode = (id: string): id is Id<'otp'> => id.startsWith('otp_')

/** The messages of each item: a code has one for each send. */
async function messagesOf(
  context: RouteContext,
  tenant_id: Id<'ten'>,
  rows: readonly ActivityRow[],
): Promise<Map<string, Id<'notif'>[]>> {
  const ids = rows.map(({ transaction_id }) => transaction_id)
  const found = new Map(ids.map((id) => [id, isCode(id) ? [] : [id as Id<'notif'>]]))
  const transaction_ids = ids.filter(isCode)
  if (transaction_ids.length === 0) return found
  const ask = { principal: await context.signPrincipal(itself), timeoutMs, body: { tenant_id, transaction_ids } }
  const { messages } = await context.peers('otp').call(readCodeMessages, ask)
  for (const { transaction_id, notification_id } of messages) found.get(transaction_id)?.push(notification_id)
  return found
}

/** The messages for which a carrier was called. */
async function sentOf(
  context: RouteContext,
  tenant_id: Id<'ten'>,
  notification_ids: Id<'notif'>[],
): Promise<Map<string, Sent>> {
  if (notification_ids.length === 0) return new Map()
  const ask = { principal: await context.signPrincipal(itself), timeoutMs, body: { tenant_id, notification_ids } }
  const { providers } = await context.dispatch.call(readProviders, ask)
  return new Map(providers.map((one) => [one.notification_id, one]))
}

/** The states of messages that a carrier has taken. */
const taken: ReadonlySet<string> = new Set(['sent', 'delivered', 'undelivered', 'verified', 'expired'])

/** Of what dispatch no longer has, or hands to another service. */
const unknown = { status: null, category: null, country_prefix: null, segments: null }

/** What an item costs in millionths: of a code, all messages that a carrier has taken. */
function paidFor(
  { transaction_id, channel, status, credits }: ActivityRow,
  sent: readonly Sent[],
  list: PriceList,
): bigint | undefined {
  const ofEach = isCode(transaction_id)
  // Dispatch and otp delete messages long before the item: number, country and segments are unknown then.
  if (sent.length === 0 && (ofEach || channelContracts[channel].addressField === 'phone')) return undefined
  // A retry changes the state of a message that was charged, and the carrier's price stays to be paid.
  const isTaken = (one: Pick<Sent, 'status'> | typeof unknown) =>
    taken.has((ofEach && one.status) || status) || (credits ?? 0) > 0
  const paid = (sent.length === 0 ? [unknown] : sent).filter(isTaken)
  const costs = paid.flatMap(({ category, country_prefix: countryPrefix, segments }) => {
    const price = priceOf(list, { channel, category, countryPrefix })
    return price === undefined ? [] : costOf(price, { messages: 1, segments: segments ?? 0 })
  })
  return costs.length === 0 ? undefined : costs.reduce((sum, one) => sum + one, 0n)
}
