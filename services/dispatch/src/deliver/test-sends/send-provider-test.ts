import type { sendProviderTest as contract, EventTemplates } from '@notify/contracts'
import { fieldProblem, Problem } from '@notify/service-kit'
import { providerMissing } from '../../catalogue/providers/describe-provider.ts'
import { carrierOfKind, openCredentials, type Provider } from '../../catalogue/providers/provider-directory.ts'
import { findProvider, type ProviderRow } from '../../catalogue/providers/provider-store.ts'
import { requireFillable } from '../../channels/check-templates.ts'
import type { TestContext } from './compose-test.ts'
import { sendTest } from './send-test.ts'

/** Sends a message through one provider to the operator. */
export const sendProviderTest = sendTest<typeof contract>(async (context, request) => {
  const { body, principal, params } = request
  const row = await findProvider(context.db.run, principal.tenant_id, params.provider_id)
  if (!row) throw providerMissing()
  const { channel } = row
  if (body.templates) await requireFillable(context, principal.tenant_id, body.templates)
  const templates = body.templates ?? textsFor(context, row)
  if (!templates[channel])
    throw fieldProblem('validation_failed', `templates.${channel}`, 'is missing: the provider sends this channel')
  return {
    ...{ request, applicationId: row.application_id, channel, recipient: body.recipient, variables: {} },
    ...{ field: 'template_data', texts: { templates, translations: null }, providers: [opened(context, row)] },
    resource: { action: 'provider.tested', id: row.id },
  }
})

/** The characters of Liquid are removed from the name, which is plain text. */
const textsFor = ({ channels }: TestContext, { channel, name }: ProviderRow): EventTemplates =>
  channels[channel]?.test?.templatesFor?.(name.replace(/[{}%]/g, '')) ?? {}

function opened({ carrierTable, secrets }: TestContext, row: ProviderRow): Provider {
  const { id, kind, revision, tenant_id } = row
  const carrier = carrierOfKind(carrierTable, kind)
  if (!carrier) throw new Problem('provider_not_configured', `Providers of kind ${kind} are not supported`)
  const text = openCredentials(secrets.keyRing, row.credentials, tenant_id, id)
  return { id, kind, tenantId: tenant_id, revision, credentials: carrier.credentials.parse(JSON.parse(text)) }
}
