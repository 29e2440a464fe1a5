import type { TemplateChange } from '@notify/contracts'
import type { Context } from '../../context.ts'
import { applyTemplateReport } from './carrier-template-store.ts'

/** Stores a template's state from a webhook, unless a newer state is stored. */
export async function applyTemplateChange(
  { db, log }: Pick<Context, 'db' | 'log'>,
  change: TemplateChange,
): Promise<void> {
  const { provider_id, name, language, status = null, category = null, quality = null } = change
  await applyTemplateReport(db.run, change)
  log.info({ provider_id, template: name, language, status, category, quality }, 'a template has changed')
}
