import type { EventTemplates, EventTranslations, FieldError } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import type { Channels } from '../../channels/channel.ts'
import { presentTemplates } from '../../channels/present-templates.ts'
import { type Owner, templatesNamed } from './carrier-template-store.ts'

interface Content {
  templates: EventTemplates
  translations?: EventTranslations | null | undefined
}

/**
 * Refuses templates whose parameters fit no account's approved text, because the carrier would refuse each message. A template
 * that no account has is not judged yet.
 * @param sendsCodes whether the service fills the button that copies a code
 * @throws Problem `validation_failed` naming each placeholder
 */
export async function requireFit(
  run: Run,
  channels: Channels,
  owner: Owner,
  { templates, translations }: Content,
  sendsCodes: boolean,
): Promise<void> {
  const errors: FieldError[] = []
  for (const [path, set] of [['templates', templates], ...byPath(translations)] as [string, EventTemplates][]) {
    for (const { definition, template } of presentTemplates(channels, set)) {
      const reference = definition.referenceOf?.(template, sendsCodes)
      if (!reference) continue
      const known = (await templatesNamed(run, owner, reference)).filter(({ content }) => content !== null)
      const approved = known.filter(({ status }) => status === 'approved')
      const faults = (approved.length > 0 ? approved : known).map(({ content }) => reference.misfits(content!))
      if (faults.length === 0 || faults.some(({ length }) => length === 0)) continue
      errors.push(...faults[0]!.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })))
    }
  }
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors: errors.slice(0, 50) })
}

/** Each translation by its path in the event. */
const byPath = (translations: EventTranslations | null | undefined) =>
  Object.entries(translations ?? {}).map(([locale, set]) => [`translations.${locale}`, set] as const)
