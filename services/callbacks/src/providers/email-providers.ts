import { idSchema } from '@notify/contracts'
import type { Database } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import type { Tables } from '../db/schema.ts'

/** A provider whose events come through SNS. */
export interface EmailProvider {
  id: `prov_${string}`
  /** The topics that it names as its own; a message on any other one is not about it. */
  topicArns: readonly string[]
}

export interface EmailProviders {
  find(id: string): Promise<EmailProvider | undefined>
  forget(): void
}

const rememberedMs = 1000
const Id = idSchema('prov')

/** The email providers with events, remembered for a second. */
export function createEmailProviders(db: Database<Tables>): EmailProviders {
  const cache = createTtlCache<EmailProvider | undefined>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(id) {
      const [found] = await db.run<{ id: EmailProvider['id']; topic_arns: string[] }>(
        { name: 'find-email-provider', text: `select id, topic_arns from providers where id = $1 and kind = 'ses'` },
        [id],
      )
      return found && { id: found.id, topicArns: found.topic_arns }
    },
  })
  return {
    find: async (id) => (Id.safeParse(id).success ? cache.get(id) : undefined),
    forget: () => cache.clear(),
  }
}
