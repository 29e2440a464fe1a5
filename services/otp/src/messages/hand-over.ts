import {
  acceptServiceNotifications,
  type ItemResult,
  OtpChannel,
  type RouteInput,
  type ServicePrincipal,
} from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import { coalesce, type InternalClient, type SignPrincipal } from '@notify/service-kit'
import type { ApplicationSettings } from '../applications/settings-store.ts'
import type { CodeRequest } from './compose-message.ts'
import { type Message, requestAad } from './message-store.ts'

/** The problem with which dispatch refused a message; undefined when it has committed it. */
export type Answer = Extract<ItemResult, { problem: unknown }>['problem'] | undefined

/** Has dispatch commit a message. Repetitions commit it once. @throws Problem `service_unavailable` */
export type HandOver = (message: Message & { request: Buffer }, settings: ApplicationSettings) => Promise<Answer>

const principal: ServicePrincipal = { kind: 'service', service: 'otp', permissions: ['notifications:accept'] }
const timeoutMs = 2500
/** The application has no such template: the next request is tried. */
const fallsBack: readonly string[] = ['event_not_found', 'channel_not_allowed']

type Item = RouteInput<typeof acceptServiceNotifications>['items'][number]

/**
 * Concurrent messages of a tenant and channel share a call, which takes as long as its slowest: a tenant's template delays no other
 * tenant, and a consent that is not answered delays WhatsApp only.
 * @param connect makes a client of dispatch; each channel has its own, because calls that are not answered keep connections
 */
export function createHandOver(
  connect: () => InternalClient,
  { signPrincipal, keyRing }: { signPrincipal: SignPrincipal; keyRing: KeyRing },
): HandOver {
  const clients = new Map(OtpChannel.options.map((channel) => [channel, connect()]))
  const accept = forEachSender((channel) =>
    coalesce<Item, ItemResult>({
      maxBatch: 256,
      maxInFlight: 4,
      async run(items) {
        const { results } = await clients.get(channel)!.call(acceptServiceNotifications, {
          principal: await signPrincipal(principal),
          body: { items: [...items] },
          timeoutMs,
        })
        return results
      },
    }),
  )
  return async (message, { default_locale, default_time_zone }) => {
    const { notification_id, tenant_id, application_id, mode, traceparent, earlier } = message
    const requests: CodeRequest[] = JSON.parse(keyRing.decrypt(message.request, requestAad(tenant_id, notification_id)))
    const item = {
      ...{ notification_id, tenant_id, application_id, mode, lane: 'otp' as const },
      expires_at: message.expires_at.toISOString(),
      erase_when_terminal: true,
      // Their codes no longer verify.
      ...(earlier.length === 0 ? {} : { replaces: earlier }),
      ...(traceparent === null ? {} : { traceparent }),
      ...(default_locale === undefined ? {} : { default_locale }),
      ...(default_time_zone === undefined ? {} : { default_time_zone }),
    }
    let answer: Answer
    for (const { written_locale, ...request } of requests) {
      const written = written_locale === undefined ? {} : { written_locale }
      const result = await accept({ ...item, request, ...written }, request.channel)
      if (!('problem' in result)) return undefined
      answer = result.problem
      if (!fallsBack.includes(answer.code)) return answer
    }
    return answer
  }
}

type Accept = (item: Item) => Promise<ItemResult>

/** Gives each channel of a tenant an acceptance of its own while it has messages under way. */
function forEachSender(
  create: (channel: OtpChannel) => Accept,
): (item: Item, channel: OtpChannel) => Promise<ItemResult> {
  const senders = new Map<string, { accept: Accept; underWay: number }>()
  return async (item, channel) => {
    const name = `${item.tenant_id} ${channel}`
    const own = senders.get(name) ?? { accept: create(channel), underWay: 0 }
    senders.set(name, own)
    own.underWay++
    try {
      return await own.accept(item)
    } finally {
      own.underWay--
      if (own.underWay === 0) senders.delete(name)
    }
  }
}
