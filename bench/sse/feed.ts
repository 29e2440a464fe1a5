import { liveSubject, newId } from '@notify/contracts'
import { createBlindIndex, parseKey, parseKeyRing } from '@notify/privacy'
import { mark } from './readers.ts'
import { sealForYardstick } from './sealed-yardstick.ts'

/** The part of a stack's state that events are made from. */
export interface FeedState {
  tenant_id: string
  application_id: string
  encryption_keys: string
  blind_index_key: string
}

/** A message for NATS. */
interface Message {
  subject: string
  data: string | Uint8Array
}

/** Makes the next event of a user. */
export type Feed = (user: string) => Message

const shown = { title: `Order 7 ${mark}`, body: 'Your order is on its way', data: { action_url: '/orders/7' } }

const keyRingOf = ({ encryption_keys }: FeedState) => parseKeyRing(encryption_keys)

/** Counts the events of each user from 1. */
function sequences() {
  const last = new Map<string, number>()
  return (user: string) => {
    const seq = (last.get(user) ?? 0) + 1
    last.set(user, seq)
    return seq
  }
}

/** Events as a replica of inbox-stream publishes them once they are committed. */
export function liveFeed(state: FeedState): Feed {
  const { tenant_id, application_id } = state
  const id = newId('inapp')
  const content = keyRingOf(state).encrypt(JSON.stringify(shown), `inbox_items|${tenant_id}|${id}`)
  const blindIndex = createBlindIndex(parseKey(state.blind_index_key))
  const subjects = new Map<string, string>()
  const subjectOf = (user: string) => {
    const known = subjects.get(user)
    if (known) return known
    const inbox_key = blindIndex(tenant_id, `${application_id} live ${user}`)
    const address = { tenant_id, application_id, inbox_key }
    subjects.set(user, liveSubject(address))
    return subjectOf(user)
  }
  const next = sequences()
  return (user) => {
    const seq = next(user)
    const line = { seq, kind: 'created', item_id: id, unread_count: seq, created_at: new Date(), size: content.length }
    const data = Buffer.concat([Buffer.from(`${JSON.stringify([line])}\n`), content])
    return { subject: subjectOf(user), data }
  }
}

/** The same events as finished text for the yardstick. */
export function bareFeed(): Feed {
  const id = newId('inapp')
  const next = sequences()
  return (user) => {
    const seq = next(user)
    const notification = { id, title: shown.title, body: shown.body, is_read: false, created_at: new Date() }
    const data = JSON.stringify({ notification: { ...notification, data: shown.data }, unread_count: seq })
    return { subject: `bare.${user}`, data: `id: ${seq}\nevent: notification.created\ndata: ${data}\n\n` }
  }
}

/** The same events for a yardstick that decrypts their contents, as inbox-stream does. */
export function sealedFeed(): Feed {
  const id = newId('inapp')
  const next = sequences()
  const { title, body, data } = shown
  const content = sealForYardstick(JSON.stringify({ title, body, data }).slice(1))
  return (user) => {
    const seq = next(user)
    const start = JSON.stringify({ unread_count: seq, id, is_read: false, created_at: new Date() }).slice(0, -1)
    const head = Buffer.from(`id: ${seq}\nevent: notification.created\ndata: ${start},`)
    return { subject: `sealed.${user}`, data: Buffer.concat([Buffer.from([head.length]), head, content]) }
  }
}

/** Notifications as dispatch hands them over; inbox-stream stores them first. */
export function handOffFeed(state: FeedState): Feed {
  const { tenant_id, application_id } = state
  const keyRing = keyRingOf(state)
  const subject = 'dispatch.inbox.transactional.requested'
  return (user) => {
    const notification_id = newId('notif')
    const payload = JSON.stringify({ channel: 'in_app', user_id: user, ...shown })
    const event = {
      notification_id,
      retry_count: 0,
      tenant_id,
      application_id,
      mode: 'live',
      lane: 'transactional',
      channel: 'in_app',
      event_key: null,
      created_at: new Date(),
      after: null,
      content: keyRing.encrypt(payload, `${subject}|${tenant_id}|${notification_id}`).toString('base64'),
    }
    return { subject, data: JSON.stringify([{ event }]) }
  }
}
