import { defineStatement, pick, type Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import type { Selectable } from 'kysely'
import { type Tables, tables } from '../../db/schema.ts'

/** The part of an event that dispatch uses. */
export type PublishedEvent = Pick<
  Selectable<Tables['events']>,
  'event_key' | 'allowed_channels' | 'templates' | 'translations' | 'topic' | 'digest' | 'status'
>

/** The published events of applications, cached for a second. */
export interface EventCatalogue {
  /** The event, if it exists, is published and belongs to the application. */
  find(applicationId: string, eventKey: string): Promise<PublishedEvent | undefined>
  /** The same, also after it was deactivated: what was accepted before is still sent. */
  findKept(applicationId: string, eventKey: string): Promise<PublishedEvent | undefined>
  forget(): void
}

/** A context with it. */
export interface WithEvents {
  directory: { events: EventCatalogue }
}

const rememberedMs = 1000

const find = defineStatement({
  name: 'find-event',
  text: `
    select event_key, allowed_channels, templates, translations, topic, digest, status from events
    where application_id = $1 and event_key = $2 and status <> 'draft'`,
  columns: pick(
    tables.events,
    ...(['event_key', 'allowed_channels', 'templates', 'translations', 'topic', 'digest', 'status'] as const),
  ),
})

export function createEventCatalogue(db: Queries): EventCatalogue {
  const cache = createTtlCache<PublishedEvent | undefined>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(key) {
      const [applicationId = '', eventKey = ''] = key.split('|')
      return (await db.run(find, [applicationId, eventKey]))[0]
    },
  })
  const findKept: EventCatalogue['findKept'] = (applicationId, eventKey) => cache.get(`${applicationId}|${eventKey}`)
  return {
    async find(applicationId, eventKey) {
      const event = await findKept(applicationId, eventKey)
      return event?.status === 'published' ? event : undefined
    },
    findKept,
    forget: () => cache.clear(),
  }
}
