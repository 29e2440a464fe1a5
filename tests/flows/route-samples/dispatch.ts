import { changePreferencesOf, newId, openPreferenceLink, type Route, readPreferencesOf } from '@notify/contracts'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { parseIndexKeys } from '@notify/privacy'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { freshPhone } from '@notify/test-kit/sms'
import { createMessageLinks } from '../../../services/dispatch/src/catalogue/preferences/message-links.ts'
import { exampleBody, made, type Samples } from './sample.ts'

/** A number that occurs nowhere else in an answer. */
const firstVersion = 471_147
/** Versions of layouts begin with 1: written so, it occurs nowhere else either. */
const firstLayoutVersion = '000000001'

/** Samples of the management routes of dispatch: domains, suppressions, templates and layouts. */
export function dispatchSamples(env: TestEnv): Samples {
  const domain = async () => ({ params: { domain_id: await copyDomain(env) } })
  const template = async () => {
    const { template_id } = await made(env, '/api/v1/templates', exampleBody('createTemplate'))
    return { params: { template_id } }
  }
  const translatedTemplate = async () => {
    const { params } = await template()
    const path = `/api/v1/templates/${params.template_id}/translations/de`
    await env.api('PUT', path, { token: env.operatorToken, body: exampleBody('putTemplateTranslation') })
    return { params: { ...params, locale: 'de' } }
  }
  const layout = async () => {
    const { layout_id } = await made(env, '/api/v1/layouts', exampleBody('createLayout'))
    return { params: { layout_id } }
  }
  const layoutVersions = async () => {
    const { params } = await layout()
    const body = exampleBody('replaceLayout', { name: 'Brand of the summer' })
    await env.api('PUT', `/api/v1/layouts/${params.layout_id}`, { token: env.operatorToken, body })
    return { params }
  }
  const newTopic = () => ({ topic_key: `sample.${crypto.randomUUID()}` })
  const topic = async () => {
    const { topic_key } = await made(
      env,
      `/api/v1/applications/${env.applicationId}/topics`,
      exampleBody('createTopic', newTopic()),
    )
    return { params: { application_id: env.applicationId, topic_key } }
  }
  const newKey = () => ({ event_key: `sample.${crypto.randomUUID()}` })
  const events = `/api/v1/applications/${env.applicationId}/events`
  const ofApplication = { params: { application_id: env.applicationId } }
  const event = async (status = 'published') => {
    const { event_key } = await made(
      env,
      events,
      exampleBody('createEvent', { ...newKey(), status, version: firstVersion }),
    )
    return { params: { ...ofApplication.params, event_key } }
  }
  const translatedEvent = async () => {
    const { params } = await event()
    const path = `${events}/${params.event_key}/translations/de`
    await env.api('PUT', path, { token: env.operatorToken, body: exampleBody('putEventTranslation') })
    return { params: { ...params, locale: 'de' } }
  }
  const twoVersions = async () => {
    const { params } = await event()
    const path = `${events}/${params.event_key}`
    const draft = exampleBody('replaceEvent', { name: 'Order on its way' })
    await env.api('PUT', path, { token: env.operatorToken, body: draft })
    await env.api('POST', `${path}/publish`, { token: env.operatorToken })
    return { params }
  }
  const version = async () => ({ params: { ...(await twoVersions()).params, version: String(firstVersion) } })
  const provider = async () => {
    const { provider_id } = await made(env, '/api/v1/providers', { channel: 'webhook', kind: 'webhook', name: 'Hooks' })
    return { params: { provider_id } }
  }
  const user = async () => {
    const user_id = crypto.randomUUID()
    await env.api('PUT', `/api/v1/users/${user_id}`, { body: exampleBody('putRecipient') })
    return { params: { user_id } }
  }
  const list = async () => {
    const { body } = await env.api('POST', '/api/v1/lists', { body: exampleBody('createList') })
    await env.api('PUT', `/api/v1/lists/${body.list_id}/members`, { body: exampleBody('putMembers') })
    return { params: { list_id: body.list_id } }
  }
  /** No worker ends it, nor one that has its page already. */
  const broadcast = async (status = 'running') => {
    const { params } = await list()
    const path = `/api/v1/lists/${params.list_id}/notifications`
    const { body } = await env.api('POST', path, { body: exampleBody('createBroadcast') })
    await env.admin.query(
      'update dispatch.broadcasts set status = $2, next_page_at = null, pages = pages + 1 where id = $1',
      [body.broadcast_id, status],
    )
    return { params: { broadcast_id: body.broadcast_id } }
  }
  /** No worker closes it. */
  const digest = async () => {
    const given = { ...newKey(), status: 'published', digest: { window: { seconds: 3600 } } }
    const { event_key } = await made(env, events, exampleBody('createEvent', given))
    const item = { channel: 'sms', recipient: { phone: freshPhone() }, event_key, data: { name: 'Ada', order: 'A-1' } }
    await env.api('POST', '/api/v1/notifications', { body: item })
    const closing = 'update dispatch.digests set is_open = false where event_key = $1 returning id'
    const { rows } = await env.admin.query(closing, [event_key])
    return { params: { ...ofApplication.params, digest_id: rows[0].id } }
  }
  const ofRecipient = async (recipient: string) => {
    const lookup = { token: env.operatorToken, body: { recipient } }
    const { recipient_token } = (await env.api('POST', '/api/v1/recipients/lookup', lookup)).body
    return { params: { ...ofApplication.params, recipient_token } }
  }
  const switchOff = (user: string, channel: string) =>
    env.api('PATCH', `/api/v1/users/${user}/preferences`, {
      body: { rules: [{ topic: '*', channel, state: 'off' }] },
    })
  const twice = async (make: () => Promise<unknown>) => {
    await make()
    await make()
    return {}
  }
  return {
    listLists: () => twice(list),
    createList: () => ({}),
    getList: list,
    changeList: list,
    deleteList: list,
    listMembers: list,
    putMembers: list,
    deleteMember: async () => ({ ...(await list()), search: '?user_id=user-42' }),
    createBroadcast: list,
    listBroadcasts: () => twice(broadcast),
    getBroadcast: () => broadcast(),
    pauseBroadcast: () => broadcast(),
    resumeBroadcast: () => broadcast('paused'),
    cancelBroadcast: () => broadcast(),
    listDigests: () => twice(digest).then(() => ofApplication),
    closeDigest: digest,
    getRecipient: user,
    putRecipient: user,
    deleteRecipient: user,
    listProviderKinds: () => ({}),
    listProviders: () => ({}),
    createProvider: () => ({}),
    getProvider: provider,
    changeProvider: provider,
    deleteProvider: provider,
    testProvider: provider,
    listFailures: () => ({}),
    sendEventTest: async () => {
      const { params } = await event()
      return { params, fresh: { channel: 'sms', recipient: freshPhone(), data: { name: 'Ada', order: 'A-1' } } }
    },
    sendProviderTest: async () => ({
      params: { provider_id: await smsProvider(env) },
      fresh: { recipient: freshPhone(), templates: { sms: { body: 'Test' } } },
    }),
    rotateProviderSecret: provider,
    findProviders: () => ({ call: () => findForCallbacks(env) }),
    listTopics: () => ofApplication,
    createTopic: () => ({ ...ofApplication, fresh: newTopic() }),
    getTopic: topic,
    replaceTopic: topic,
    deleteTopic: topic,
    getUserPreferences: () => ({ params: { user_id: 'user-42' } }),
    changeUserPreferences: () => ({ params: { user_id: `user-${crypto.randomUUID()}` } }),
    lookUpPreferences: () => ({}),
    importPreferences: () => ({}),
    explainPreference: () => ({}),
    getRecipientPreferences: () => ofRecipient('user-42'),
    listPreferenceChanges: async () => {
      const user = `user-${crypto.randomUUID()}`
      for (const channel of ['sms', 'email']) await switchOff(user, channel)
      return ofRecipient(user)
    },
    readPreferencesOf: () => ({ call: () => asInboxStream(env, readPreferencesOf, {}) }),
    changePreferencesOf: () => ({
      call: () => asInboxStream(env, changePreferencesOf, { changes: exampleBody('changeOwnPreferences') }),
    }),
    openPreferenceLink: () => ({ call: () => openLink(env) }),
    showPreferenceLink: () => ({ params: { token: linkToken(env) } }),
    followPreferenceLink: () => ({ call: () => postLink(env) }),
    listEvents: () => ofApplication,
    createEvent: () => ({ ...ofApplication, fresh: newKey() }),
    getEvent: () => event(),
    replaceEvent: () => event(),
    listEventTranslations: () => event(),
    getEventTranslation: translatedEvent,
    putEventTranslation: translatedEvent,
    publishEvent: () => event('draft'),
    deactivateEvent: () => event(),
    previewEvent: () => event(),
    listEventVersions: twoVersions,
    getEventVersion: version,
    restoreEventVersion: version,
    listDomains: () => ({}),
    createDomain: () => ({ fresh: { domain: `${crypto.randomUUID()}.example` } }),
    getDomain: domain,
    deleteDomain: domain,
    verifyDomain: domain,
    listSuppressions: () => ({}),
    addSuppression: () => ({ fresh: { recipient: freshPhone() } }),
    liftSuppression: async () => {
      const { suppression_id } = await made(
        env,
        '/api/v1/suppressions',
        exampleBody('addSuppression', { recipient: freshPhone() }),
      )
      return { params: { suppression_id } }
    },
    listTemplates: () => ({}),
    createTemplate: () => ({}),
    getTemplate: template,
    replaceTemplate: template,
    deleteTemplate: template,
    listTemplateTranslations: template,
    getTemplateTranslation: translatedTemplate,
    putTemplateTranslation: translatedTemplate,
    previewTemplate: template,
    listLayouts: () => ({}),
    createLayout: () => ({}),
    getLayout: layout,
    replaceLayout: layout,
    deleteLayout: layout,
    previewLayout: layout,
    listLayoutVersions: layoutVersions,
    getLayoutVersion: async () => ({ params: { ...(await layoutVersions()).params, version: firstLayoutVersion } }),
    listWhatsAppTemplates: () => ({}),
    syncWhatsAppTemplates: () => ({}),
  }
}

/** Adds a domain with a copied key, because a new key takes time. */
async function copyDomain(env: TestEnv): Promise<string> {
  const id = newId('dom')
  const { rowCount } = await env.admin.query(
    `insert into dispatch.domains
     select (jsonb_populate_record(d, jsonb_build_object('id', $1::text, 'domain', $1 || '.example'))).*
     from dispatch.domains d where domain = 'first.example'`,
    [id],
  )
  if (rowCount === 0) await env.api('POST', '/api/v1/domains', { body: { domain: 'first.example' } })
  return rowCount === 0 ? copyDomain(env) : id
}

async function findForCallbacks(env: TestEnv): Promise<ApiResponse> {
  const { callbacks_signing_key, twilio_provider_id } = env.stack.state
  const sign = await createPrincipalSigner(callbacks_signing_key, 'callbacks')
  const principal = await sign({ kind: 'service', service: 'callbacks', permissions: ['providers:find'] })
  return env.call('dispatch-api', 'POST', '/internal/v1/providers/find', {
    headers: { [principalHeader]: principal },
    body: { kind: 'twilio', id: twilio_provider_id },
  })
}

async function smsProvider(env: TestEnv): Promise<string> {
  const { body } = await env.api('GET', '/api/v1/providers?channel=sms', { token: env.operatorToken })
  return body.items[0].provider_id
}

/** The token of a link in a message to nobody. */
function linkToken(env: TestEnv): string {
  const keys = { BLIND_INDEX_KEY: parseIndexKeys(env.stack.state.blind_index_key), PUBLIC_URL: 'https://api.example' }
  const [tenantId, applicationId] = [env.tenantId as `ten_${string}`, env.applicationId as `app_${string}`]
  const owner = { tenantId, applicationId, mode: 'live', channel: 'email' } as const
  const url = createMessageLinks(keys).urlOf({ ...owner, to: `${crypto.randomUUID()}@mailbox.example` })
  return url.slice(url.lastIndexOf('/') + 1)
}

async function postLink(env: TestEnv): Promise<ApiResponse> {
  const url = `${env.stack.url('gateway')}/u/${linkToken(env)}`
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text, text }
}

async function openLink(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const principal = await sign({ kind: 'service', service: 'gateway', permissions: ['preferences:link'] })
  const body = { token: linkToken(env), locales: ['de'] }
  return env.call('dispatch-api', 'POST', openPreferenceLink.path, { headers: { [principalHeader]: principal }, body })
}

async function asInboxStream(env: TestEnv, { path }: Route, fields: object): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.inbox_stream_signing_key, 'inbox-stream')
  const principal = await sign({ kind: 'service', service: 'inbox-stream', permissions: ['preferences:change'] })
  const { tenantId: tenant_id, applicationId: application_id } = env
  const body = { tenant_id, application_id, mode: 'live', user_id: `user-${crypto.randomUUID()}`, ...fields }
  return env.call('dispatch-api', 'POST', path, { headers: { [principalHeader]: principal }, body })
}
