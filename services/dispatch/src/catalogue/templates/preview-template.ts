import type { previewTemplate as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { requireFillable } from '../../channels/check-templates.ts'
import type { Context } from '../../context.ts'
import type { WithLayouts } from '../layouts/layout-catalogue.ts'
import { describeWhole } from './describe-template.ts'
import { renderPreview } from './render-preview.ts'
import { findTemplate } from './template-store.ts'

/** Renders a template, or the given templates instead of it, with the given variables. */
export const previewTemplate: Handler<Context & WithLayouts & { renderer: Renderer }, typeof contract> =
  idempotentAnswer(async (context, { body, params, principal }) => {
    const { tenant_id } = principal
    const { channel, locale, time_zone, template_data: variables, templates: given } = body
    const stored = describeWhole(await findTemplate(context.db.run, tenant_id, params.template_id))
    if (given) await requireFillable(context, tenant_id, given)
    const previewed = given ? { templates: given } : stored
    const shown = await renderPreview(
      context,
      { tenantId: tenant_id, applicationId: stored.application_id },
      previewed,
      {
        ...{ channel, field: 'template_data', variables, locale, time_zone },
      },
    )
    const { template_id } = stored
    return new Reply(200, JSON.stringify({ template_id, version: given ? null : stored.version, ...shown }))
  })
