import type { Channel, EventTemplates } from '@notify/contracts'
import type { Database } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import type { Tables } from '../../db/schema.ts'

/** The part of an event that dispatch uses. */
export interface PublishedEvent {
  event_key: string
  allowed_channels: Channel[]
  templates: EventTemplates
}

/** The published events of applications, cached for a second. */
export interface EventCatalogue {
  /** The event, if it exists, is published and belongs to the application. */
  find(applicationId: string, eventKey: string): Promise<PublishedEvent | undefined>
  forget(): void
}

/** A context with it. */
export interface WithEvents {
  directory: { events: EventCatalogue }
}

const rememberedMs = 1000

export function createEventCatalogue(db: Database<Tables>): EventCatalogue {
  const cache = createTtlCache<PublishedEvent | undefined>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(key) {
      const [applicationId = '', eventKey = ''] = key.split('|')
      const rows = await db.run<PublishedEvent>(
        {
          name: 'find-event',
          text: `select event_key, allowed_channels, templates from events
                 where application_id = $1 and event_key = $2 and status = 'published'`,
        },
        [applicationId, eventKey],
      )
      return rows[0]
    },
  })
  return { find: (applicationId, eventKey) => cache.get(`${applicationId}|${eventKey}`), forget: () => cache.clear() }
}
