import {
  type Channel,
  channelContracts,
  DispatchRequest,
  type EventTemplates,
  type EventTranslations,
  type Id,
  newId,
  type OperatorPrincipal,
} from '@notify/contracts'
import { fieldProblem, Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { WithCarrierTemplates } from '../../catalogue/carrier-templates/carrier-template-directory.ts'
import { requireApproved } from '../../catalogue/carrier-templates/require-approved.ts'
import type { WithConsents } from '../../catalogue/consents/consent-directory.ts'
import { requireConsent } from '../../catalogue/consents/require-consent.ts'
import { layoutFinder, type WithLayouts } from '../../catalogue/layouts/layout-catalogue.ts'
import type { Provider, WithProviders } from '../../catalogue/providers/provider-directory.ts'
import { findSuppressed } from '../../catalogue/suppressions/find-suppressed.ts'
import { chooseText, formatOf } from '../../catalogue/translations/choose-text.ts'
import type { Draft } from '../../channels/channel.ts'
import { withSampleLinks } from '../../channels/link-names.ts'
import type { Context } from '../../context.ts'
import type { TestSends } from './create-test-sends.ts'

/** What test messages need of the context. */
export type TestContext = Context &
  WithProviders &
  WithConsents &
  WithLayouts &
  WithCarrierTemplates &
  TestSends & { renderer: Renderer }

/** A message to send to an operator. */
export interface Test {
  request: { principal: OperatorPrincipal; requestId: string }
  applicationId: Id<'app'> | null
  /** The resource that the audit entry names. */
  resource: { action: 'event.tested' | 'provider.tested'; id: string }
  /** The providers to choose from. */
  providers: readonly Provider[]
  channel: Channel
  recipient: string
  field: 'data' | 'template_data'
  variables: Record<string, unknown>
  locale?: string | undefined
  time_zone?: string | undefined
  /** Whether it is the text of a one-time code, whose button the service fills. */
  sendsCode?: boolean
  /** The language of the original texts, if it is known. */
  writtenLocale?: string | undefined
  texts: { templates: EventTemplates; translations: EventTranslations | null }
}

/** A test message that may be sent. */
export type ComposedTest = Awaited<ReturnType<typeof composeTest>>

/** Makes the message, and chooses its provider. @throws Problem as a send would */
export async function composeTest(context: TestContext, test: Test) {
  const { channel, providers, recipient, field, variables, locale: asked, time_zone, texts } = test
  const tenantId = test.request.principal.tenant_id
  const definition = context.channels[channel]
  const rules = definition?.test
  if (!rules) throw fieldProblem('validation_failed', 'channel', 'has no test messages: no carrier answers at once')
  if (!definition || providers.length === 0)
    throw new Problem('provider_not_configured', `No provider is configured for ${channel}; add one before sending`)
  const form = field === 'data' ? { event_key: 'test' } : { template_id: newId('tmpl') }
  const request = DispatchRequest.parse({
    ...{ channel, recipient: rules.recipientOf(recipient) },
    ...{ ...form, [field]: variables },
    ...(asked === undefined ? {} : { locale: asked }),
    ...(time_zone === undefined ? {} : { time_zone }),
  })
  const application_id = test.applicationId ?? ('' as Id<'app'>)
  const principal = { tenant_id: tenantId, application_id, default_locale: test.writtenLocale }
  const sender = { principal, request }
  const { text, draft, alternatives } = await chooseText(
    context,
    { ...sender, lane: test.sendsCode ? 'otp' : 'transactional' },
    definition,
    texts,
  )
  const index = context.secrets.blindIndex(tenantId, draft.to)
  const mode = 'live' as const
  const suppressed = await findSuppressed(context.db, { tenantId, channel, mode, indexes: [index] })
  const reason = suppressed.get(index)
  if (reason) throw new Problem('recipient_suppressed', `The recipient is suppressed: ${reason}`)
  if (channelContracts[channel].needsConsent)
    await requireConsent(context, { tenant_id: tenantId, mode }, index, draft.template)
  if (draft.template) await requireApproved(context, providers, alternatives)
  const owner = { tenantId, applicationId: test.applicationId, locale: text.locale }
  const payload = await draft.compose(
    text.templates,
    (templates, values) =>
      context.renderer.fill(tenantId, templates, withSampleLinks(templates, values), formatOf(sender, text)),
    { findLayout: layoutFinder(context, owner), inTurn: (work) => context.renderer.inTurn(tenantId, work) },
  )
  const provider = await fittingProvider(context, providers, draft)
  const segments = definition.segmentsOf?.(payload) ?? null
  return { test, draft, payload, rules, segments, locale: text.locale ?? null, provider }
}

/** The first provider that may send the message. */
async function fittingProvider({ directory }: TestContext, providers: readonly Provider[], { template }: Draft) {
  if (!template) return providers[0]!
  for (const provider of providers)
    if ((await directory.carrierTemplates.faultOf(provider.id, template)) === undefined) return provider
  return providers[0]!
}
