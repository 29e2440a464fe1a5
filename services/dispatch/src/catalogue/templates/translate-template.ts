import { isDeepStrictEqual } from 'node:util'
import {
  dispatchAuditRecorded,
  type getTemplateTranslation as getContract,
  type listTemplateTranslations as listContract,
  type putTemplateTranslation as putContract,
} from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { coverageOf, fileOf, requireValidFile, withFile } from '../translations/translation-file.ts'
import { auditedTemplate, requireTemplate } from './describe-template.ts'
import type { WithTemplates } from './template-catalogue.ts'
import { findTemplate, lockTemplate, updateTemplate } from './template-store.ts'

/** How far the translations of a stored template have got. */
export const listTemplateTranslations: Handler<Context, typeof listContract> = async (
  { db, channels },
  { params, principal },
) => coverageOf(channels, requireTemplate(await findTemplate(db.run, principal.tenant_id, params.template_id)))

export const getTemplateTranslation: Handler<Context, typeof getContract> = async (
  { db, channels },
  { params, principal },
) =>
  fileOf(channels, requireTemplate(await findTemplate(db.run, principal.tenant_id, params.template_id)), params.locale)

/** Saves a translation; sends use it within a second. */
export const putTemplateTranslation: Handler<
  Context & WithTemplates & { renderer: Renderer },
  typeof putContract
> = async (context, request) => {
  const { channels, db } = context
  const { body, params, principal } = request
  const { tenant_id: tenantId } = principal
  const { template_id: resourceId, locale } = params
  const content = requireTemplate(await findTemplate(db.run, tenantId, resourceId))
  await requireValidFile(context, tenantId, content, locale, body.texts)
  const changed = await db.transaction(async (run) => {
    const row = requireTemplate(await lockTemplate(run, tenantId, resourceId))
    const checked = [content.templates, content.translations?.[locale]]
    if (!isDeepStrictEqual([row.templates, row.translations?.[locale]], checked))
      throw new Problem('edit_conflict', 'The template or its translation has just been replaced; read its texts again')
    const { name, application_id: applicationId, templates } = row
    const kept = withFile(channels, row, locale, body)
    const saved = requireTemplate(
      await updateTemplate(run, tenantId, resourceId, { name, application_id: applicationId, templates, ...kept }),
    )
    const [before, after] = [auditedTemplate(row), auditedTemplate(saved)]
    const ids = { resourceId, applicationId }
    await recordAudit(run, dispatchAuditRecorded, { request, action: 'template.replaced', ...ids, before, after })
    return saved
  })
  context.wakeOutbox()
  context.directory.templates.forget()
  return Object.keys(body.texts).length === 0 ? { based_on: '', texts: {} } : fileOf(channels, changed, locale)
}
