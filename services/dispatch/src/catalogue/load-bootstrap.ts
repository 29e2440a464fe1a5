import { type BootstrapDocument, dispatchAuditRecorded } from '@notify/contracts'
import { loadAtStart, type Run, recordAudit } from '@notify/database'
import { type Kit, Problem, readBootstrapFile } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { auditedEvent } from './events/describe-event.ts'
import { type EventRow, lockEvent, saveInitialEvent } from './events/event-store.ts'
import { saveProvider } from './providers/save-provider.ts'
import { describeTopic } from './topics/describe-topic.ts'
import { requireListedChannels, requireUnsent } from './topics/require-topic.ts'
import { lockTopic, saveInitialTopic } from './topics/topic-store.ts'

type InitialTopic = BootstrapDocument['topics'][number]
type InitialEvent = BootstrapDocument['events'][number]

/**
 * Upserts the initial topics, events and providers, except those that operators have changed and those that would contradict what
 * operators have changed. Every replica may load the same file at every start.
 * @throws Error when the file cannot be read or does not match its schema
 */
export async function loadBootstrap(kit: Kit, context: Context, file: string): Promise<void> {
  const { db, wakeOutbox, log } = context
  const { topics, events, providers } = await readBootstrapFile(file)
  await loadAtStart(kit, db, async (run) => {
    // Events before topics, as publications lock them.
    const locked = await inTurn(events, async (event) => ({ event, known: await lockEvent(run, idOf(event)) }))
    const following = locked.filter(({ known }) => !known?.updated_by).map(({ event }) => event)
    for (const topic of topics)
      await saveTopic(run, topic, following).catch((error: unknown) => skip(log, topic, error))
    for (const { event, known } of locked)
      await saveEvent(run, event, known).catch((error: unknown) => skip(log, event, error))
    for (const provider of providers) {
      await saveProvider(run, context, provider).catch((error: unknown) => skipProvider(context, provider, error))
    }
  })
  wakeOutbox()
  const count = { topics: topics.length, events: events.length, providers: providers.length }
  log.info(count, 'bootstrap document loaded')
}

const idOf = ({ tenant_id, application_id, event_key }: InitialEvent) => ({
  ...{ tenantId: tenant_id, applicationId: application_id, eventKey: event_key },
})

async function inTurn<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = []
  for (const item of items) done.push(await work(item))
  return done
}

/** @param following the events that change with the document. @throws Problem `topic_in_use` */
async function saveTopic(run: Run, topic: InitialTopic, following: readonly InitialEvent[]): Promise<void> {
  const { tenant_id: tenantId, application_id: applicationId, topic_key: topicKey, ...content } = topic
  const id = { tenantId, applicationId, topicKey }
  const known = await lockTopic(run, id)
  if (known?.updated_by) return
  if (known) {
    const own = following.filter(({ application_id }) => application_id === applicationId)
    await requireUnsent(run, id, known, { ...content, except: own.map(({ event_key }) => event_key) })
  }
  const saved = await saveInitialTopic(run, id, content)
  if (!saved) return
  await recordAudit(run, dispatchAuditRecorded, {
    ...{ request: null, bootstrap: true, tenantId, applicationId, resourceId: topicKey },
    action: `topic.${known ? 'changed' : 'created'}`,
    before: known ? describeTopic(known) : null,
    after: describeTopic(saved),
  })
}

/** @throws Problem `channel_not_allowed` */
async function saveEvent(run: Run, event: InitialEvent, known: EventRow | undefined): Promise<void> {
  if (known?.updated_by) return
  const { tenantId, applicationId, eventKey } = idOf(event)
  const { topic = null, allowed_channels } = event
  if (event.status === 'published')
    await requireListedChannels(run, { tenantId, applicationId }, { topic, allowed_channels })
  const saved = await saveInitialEvent(run, event)
  if (!saved) return
  await recordAudit(run, dispatchAuditRecorded, {
    ...{ request: null, bootstrap: true, tenantId, applicationId, resourceId: eventKey },
    action: `event.${known ? 'changed' : 'created'}`,
    before: known ? auditedEvent(known) : null,
    after: auditedEvent(saved),
  })
}

/** Skips a topic or an event that contradicts what operators have changed. @throws the error itself when a statement failed */
function skip(log: Context['log'], { application_id, ...item }: InitialTopic | InitialEvent, error: unknown): void {
  if (!(error instanceof Problem) || error.code === 'service_unavailable') throw error
  const key = 'event_key' in item ? { event_key: item.event_key } : { topic_key: item.topic_key }
  log.error({ application_id, ...key, err: error }, 'part of the bootstrap document skipped; it stays unchanged')
}

const sqlState = /^[0-9A-Z]{5}$/

/**
 * Skips a provider that cannot be loaded, for example because another tenant has its number, so that the others are loaded.
 * @throws the error itself when a statement failed, which ends the transaction
 */
function skipProvider(
  { log, metrics }: Context,
  { provider_id, tenant_id }: { provider_id: string; tenant_id: string },
  error: unknown,
) {
  const code = (error as { code?: string }).code ?? ''
  if ((error instanceof Problem && code !== 'provider_already_connected') || sqlState.test(code)) throw error
  metrics.providerSkipped()
  log.error({ provider_id, tenant_id, err: error }, 'provider of the bootstrap document skipped; it stays unchanged')
}
