import { z } from 'zod'
import { Origin } from './applications.ts'
import { Channel, EventTemplates } from './channels/table.ts'
import { idSchema } from './ids.ts'
import { KeyMode, KeyPermission, liveOnlyPermissions } from './permissions.ts'
import { EventKey } from './text.ts'
import { NewTopic, TopicKey } from './topics.ts'

const owner = { tenant_id: idSchema('ten'), application_id: idSchema('app') }

const content = z.strictObject({
  tenants: z.array(
    z.strictObject({
      tenant_id: idSchema('ten'),
      name: z.string(),
      rate_limit_per_second: z.int().positive().nullable(),
    }),
  ),
  applications: z.array(
    z.strictObject({
      application_id: idSchema('app'),
      tenant_id: idSchema('ten'),
      name: z.string(),
      allowed_origins: z.array(Origin),
    }),
  ),
  api_keys: z.array(
    z
      .strictObject({
        key_id: idSchema('key'),
        tenant_id: idSchema('ten'),
        application_id: idSchema('app'),
        name: z.string(),
        mode: KeyMode,
        permissions: z.array(KeyPermission),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        rate_limit_per_second: z.int().positive().nullable(),
      })
      .superRefine(({ mode, permissions }, issues) => {
        const refused = mode === 'test' ? permissions.filter((one) => liveOnlyPermissions.includes(one)) : []
        for (const permission of refused) {
          issues.addIssue({
            code: 'custom',
            path: ['permissions'],
            message: `must not be ${permission} for a test key`,
          })
        }
      }),
  ),
  topics: z.array(NewTopic.extend(owner)).default([]),
  events: z.array(
    z.strictObject({
      ...owner,
      event_key: EventKey,
      name: z.string(),
      status: z.enum(['draft', 'published', 'inactive']),
      version: z.int().positive(),
      allowed_channels: z.array(Channel),
      templates: EventTemplates,
      /** The key of one of the document's topics. */
      topic: TopicKey.nullable().optional(),
    }),
  ),
  providers: z.array(
    z.strictObject({
      provider_id: idSchema('prov'),
      tenant_id: idSchema('ten'),
      application_id: idSchema('app').nullable(),
      channel: Channel,
      kind: z.string(),
      name: z.string(),
      priority: z.int(),
      /** Messages per second that the account accepts, over all replicas. Null: no limit. Default: that of the kind. */
      rate_limit_per_second: z.int().min(1).max(10_000).nullable().optional(),
      /** The share of messages among providers of equal priority. Default: 100. */
      weight: z.int().min(0).max(100).optional(),
      credentials: z.record(z.string(), z.string()),
    }),
  ),
})

type Topic = z.output<typeof content>['topics'][number]
const topicOf = ({ tenant_id, application_id }: Pick<Topic, keyof typeof owner>, key: string) =>
  `${tenant_id} ${application_id} ${key}`

/**
 * The initial data of an installation. Each service upserts its own part of BOOTSTRAP_FILE at every start.
 * API keys are hashes. Provider credentials are in plain text, so the file is a secret.
 */
export const BootstrapDocument = content.superRefine((document, issues) => {
  const { topics, events } = document
  const declared = topics.map((topic) => topicOf(topic, topic.topic_key))
  const refuse = (path: (string | number)[], message: string) => issues.addIssue({ code: 'custom', path, message })
  const tenants = new Map<string, string>(document.applications.map((one) => [one.application_id, one.tenant_id]))
  for (const part of ['api_keys', 'topics', 'events', 'providers'] as const) {
    for (const [at, { tenant_id, application_id }] of document[part].entries()) {
      const tenant = tenants.get(application_id ?? '')
      if (tenant && tenant !== tenant_id) refuse([part, at, 'tenant_id'], 'must be that of the application')
    }
  }
  for (const [at, topic] of declared.entries()) {
    if (declared.indexOf(topic) < at) refuse(['topics', at, 'topic_key'], 'must not be that of another topic')
  }
  for (const [at, event] of events.entries()) {
    if (!event.topic) continue
    const topic = topics[declared.indexOf(topicOf(event, event.topic))]
    if (!topic) refuse(['events', at, 'topic'], 'names no topic of the application in the document')
    else if (event.status === 'published' && topic.kind !== 'required')
      for (const channel of event.allowed_channels.filter((one) => !topic.channels.includes(one)))
        refuse(
          ['events', at, 'allowed_channels'],
          `must not name ${channel}, which the topic ${event.topic} does not list`,
        )
  }
})
export type BootstrapDocument = z.infer<typeof BootstrapDocument>
