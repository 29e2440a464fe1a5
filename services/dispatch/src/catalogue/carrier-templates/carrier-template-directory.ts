import type { FieldError } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import type { FilledReference } from '../../channels/channel-template.ts'
import { findTemplate } from './carrier-template-store.ts'

/** The carriers' judgements on the templates of accounts, cached for a second. */
export interface CarrierTemplateDirectory {
  /** The reason, for people, why a provider may not send with a template; undefined when it may. */
  faultOf(providerId: string, template: FilledReference): Promise<string | undefined>
}

/** A context with it. */
export interface WithCarrierTemplates {
  directory: { carrierTemplates: CarrierTemplateDirectory }
}

const rememberedMs = 1000

export function createCarrierTemplateDirectory(db: Queries): CarrierTemplateDirectory {
  const cache = createTtlCache<Awaited<ReturnType<typeof findTemplate>>>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    load(key) {
      const [providerId, name, language] = JSON.parse(key) as [string, string, string]
      return findTemplate(db.run, providerId, name, language)
    },
  })
  return {
    async faultOf(providerId, { name, language, category, misfits }) {
      const known = await cache.get(JSON.stringify([providerId, name, language]))
      if (known === undefined) return `The provider has no template ${name} in ${language}`
      if (known.status !== 'approved') return `The template ${name} is ${known.status} at the provider, not approved`
      if (known.category === category) return misfitOf(name, known.content ? misfits(known.content) : [])
      return `The template ${name} is approved as ${known.category}, and the event says ${category}`
    },
  }
}

function misfitOf(template: string, [first]: readonly FieldError[]): string | undefined {
  return first && `The parameters do not fit the template ${template}: ${first.path} ${first.message}`
}
