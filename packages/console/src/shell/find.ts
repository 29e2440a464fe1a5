import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { useHasPermission } from '../api/me.ts'
import { addressOf, isAddress, mayBecomeAddress, tokenOf } from '../api/recipients.ts'

/** What Ctrl-K leads to. */
export interface Found {
  path: string
  title: string
  hint: string
  /** Whether it may not exist; shown after what does. */
  isGuess?: true
}

const ownId = /^([a-z]{2,8})_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Pages that open an id by its prefix. */
const pagesOfIds: Record<string, { path: string; hint: string }> = {
  notif: { path: 'activity', hint: 'Activity' },
  otp: { path: 'activity', hint: 'Activity' },
  app: { path: 'applications', hint: 'Application' },
  tmpl: { path: 'templates', hint: 'Template' },
  prov: { path: 'providers', hint: 'Provider' },
  dom: { path: 'domains', hint: 'Domain' },
  whsub: { path: 'webhooks', hint: 'Webhook subscription' },
  sup: { path: 'suppressions', hint: 'Suppression' },
  aud: { path: 'audit', hint: 'Audit log' },
  bc: { path: 'broadcasts', hint: 'Broadcast' },
  lay: { path: 'layouts', hint: 'Layout' },
}

/** What a text that is no title of a page leads to, while it is looked up and after that failed. */
export function useFound(text: string): { found: readonly Found[]; isLoading: boolean; error: Error | null } {
  const may = useHasPermission()
  const trimmed = text.trim()
  const {
    data: found = [],
    isLoading,
    error,
  } = useQuery({
    queryKey: ['find', trimmed],
    queryFn: () => find(trimmed),
    enabled: trimmed.length > 2 && may('activity:read'),
    staleTime: 10_000,
    gcTime: 0,
  })
  return { found, isLoading, error }
}

async function find(text: string): Promise<Found[]> {
  const [, prefix = ''] = ownId.exec(text) ?? []
  const page = Object.hasOwn(pagesOfIds, prefix) ? pagesOfIds[prefix] : undefined
  if (page) return [{ path: `${page.path}/${text}`, title: text, hint: page.hint }]
  if (prefix === 'list') return [{ path: `broadcasts?list_id=${text}`, title: text, hint: 'Broadcasts to the list' }]
  if (prefix === 'dig') return [{ path: `activity?digest_id=${text}`, title: text, hint: 'Digest' }]
  if (prefix === 'whdel') return ofDelivery(text)
  if (prefix === 'msg') return ofWebhookId(text)
  // A key may be pasted with the header or command around it; `task_test_1` may be the key of an event.
  if (/^sk_|sk_(?:live|test)_\w{26}/.test(text)) return ofKey(text)
  if (isAddress(text)) return ofRecipient(text)
  // The beginning of a number or an address, which is still being typed, is not to stand in a query string either.
  if (mayBecomeAddress(text)) return []
  const found = await Promise.all([ofIdElsewhere(text), ofUser(text)])
  const all = found.flat()
  return all.some(({ isGuess }) => !isGuess) ? all.filter(({ isGuess }) => !isGuess) : all
}

async function ofIdElsewhere(text: string): Promise<Found[]> {
  const { items } = await answer(api.GET('/api/v1/find', { params: { query: { id: text } } }))
  return items.map(({ kind, id, application_id, application_name }) => {
    const hint = `${kinds[kind].name} of ${application_name}`
    return { path: kinds[kind].path(application_id, encodeURIComponent(id)), title: id, hint }
  })
}

const kinds = {
  key: { name: 'API key', path: (application: string, id: string) => `applications/${application}/${id}` },
  request: {
    name: 'Request',
    path: (application: string, id: string) => `api-log?application_id=${application}&request_id=${id}`,
  },
  event: { name: 'Event', path: (application: string, id: string) => `events/${application}/${id}` },
}

/** An API key has its id within it. The rest is secret, and is not to stand in a query string. */
async function ofKey(text: string): Promise<Found[]> {
  const [, id] = /sk_(?:live|test)_(?:[a-z][a-z0-9]{0,15}_)?([0-9a-hjkmnp-tv-z]{26})/.exec(text) ?? []
  return id === undefined ? [] : ofIdElsewhere(`key_${id}`)
}

async function ofDelivery(id: string): Promise<Found[]> {
  const { subscription_id } = await answer(
    api.GET('/api/v1/webhook-deliveries/{delivery_id}', { params: { path: { delivery_id: id } } }),
  )
  return [{ path: `webhooks/${subscription_id ?? 'deliveries'}/${id}`, title: id, hint: 'Webhook delivery' }]
}

/** The `webhook-id` that a receiver sees: made of the delivery, or of the message that was sent to it. */
async function ofWebhookId(text: string): Promise<Found[]> {
  const id = text.slice('msg_'.length)
  const message = { path: `activity/notif_${id}`, title: text, hint: 'Message to a webhook' }
  return ofDelivery(`whdel_${id}`).catch(() => [message])
}

/** A user by its id. Recipients of in-app messages are known here; others are looked for on their page. */
async function ofUser(text: string): Promise<Found[]> {
  const recipient_token = await tokenOf(text)
  const query = { recipient_token, channel: 'in_app' as const, limit: 1 }
  const { items } = await answer(api.GET('/api/v1/activity', { params: { query } }))
  if (items.length > 0) return pagesOf('user', recipient_token)
  return [{ path: `people/user/${recipient_token}`, title: `User id ${text}`, hint: 'People', isGuess: true }]
}

/** The address of each page has the token of the recipient only. */
async function ofRecipient(text: string): Promise<Found[]> {
  const address = addressOf(text)
  const token = await tokenOf(address)
  const consent = { path: `consents?recipient=${token}`, title: 'Consent of this number', hint: 'Consents' }
  return [
    ...pagesOf('address', token),
    { path: `suppressions?recipient_token=${token}`, title: 'Suppressions of this recipient', hint: 'Suppressions' },
    ...(address.includes('@') ? [] : [consent]),
  ]
}

const pagesOf = (of: 'address' | 'user', token: string): Found[] => [
  { path: `people/${of}/${token}`, title: 'All about this recipient', hint: 'People' },
  { path: `activity?recipient_token=${token}`, title: 'Messages to this recipient', hint: 'Activity' },
]
