import { type BootstrapDocument, dispatchAuditRecorded } from '@notify/contracts'
import { loadAtStart, type Run, recordAudit } from '@notify/database'
import { type Kit, Problem, readBootstrapFile } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { auditedEvent } from './events/describe-event.ts'
import { lockEvent, saveInitialEvent } from './events/event-store.ts'
import { saveProvider } from './providers/save-provider.ts'
import { describeTopic } from './topics/describe-topic.ts'
import { lockTopic, saveInitialTopic } from './topics/topic-store.ts'

/**
 * Upserts the initial topics, events and providers, except those that operators have changed. Every replica may load the same file
 * at every start.
 * @throws Error when the file cannot be read or does not match its schema
 */
export async function loadBootstrap(kit: Kit, context: Context, file: string): Promise<void> {
  const { db, wakeOutbox, log } = context
  const { topics, events, providers } = await readBootstrapFile(file)
  await loadAtStart(kit, db, async (run) => {
    for (const topic of topics) await saveTopic(run, topic)
    for (const event of events) await saveEvent(run, event)
    for (const provider of providers) {
      await saveProvider(run, context, provider).catch((error: unknown) => skip(context, provider, error))
    }
  })
  wakeOutbox()
  const count = { topics: topics.length, events: events.length, providers: providers.length }
  log.info(count, 'bootstrap document loaded')
}

async function saveTopic(run: Run, topic: BootstrapDocument['topics'][number]): Promise<void> {
  const { tenant_id: tenantId, application_id: applicationId, topic_key: topicKey, ...content } = topic
  const id = { tenantId, applicationId, topicKey }
  const known = await lockTopic(run, id)
  const saved = await saveInitialTopic(run, id, content)
  if (!saved) return
  await recordAudit(run, dispatchAuditRecorded, {
    ...{ request: null, bootstrap: true, tenantId, applicationId, resourceId: topicKey },
    action: `topic.${known ? 'changed' : 'created'}`,
    before: known ? describeTopic(known) : null,
    after: describeTopic(saved),
  })
}

async function saveEvent(run: Run, event: BootstrapDocument['events'][number]): Promise<void> {
  const { tenant_id: tenantId, application_id: applicationId, event_key: eventKey } = event
  const known = await lockEvent(run, { tenantId, applicationId, eventKey })
  const saved = await saveInitialEvent(run, event)
  if (!saved) return
  await recordAudit(run, dispatchAuditRecorded, {
    ...{ request: null, bootstrap: true, tenantId, applicationId, resourceId: eventKey },
    action: `event.${known ? 'changed' : 'created'}`,
    before: known ? auditedEvent(known) : null,
    after: auditedEvent(saved),
  })
}

const sqlState = /^[0-9A-Z]{5}$/

/**
 * Skips a provider that cannot be loaded, for example because another tenant has its number, so that the others are loaded.
 * @throws the error itself when a statement failed, which ends the transaction
 */
function skip(
  { log, metrics }: Context,
  { provider_id, tenant_id }: { provider_id: string; tenant_id: string },
  error: unknown,
) {
  const code = (error as { code?: string }).code ?? ''
  if ((error instanceof Problem && code !== 'provider_already_connected') || sqlState.test(code)) throw error
  metrics.providerSkipped()
  log.error({ provider_id, tenant_id, err: error }, 'provider of the bootstrap document skipped; it stays unchanged')
}
