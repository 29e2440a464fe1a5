import { channelContracts, type DispatchRequest } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Fill, InTurn } from '@notify/templates'
import type { AcceptContext, Sender } from '../../accept/accept-item.ts'
import { requireNoTerms, requireProvider, requireTextThatFits, requireVerified } from '../../accept/judge-candidate.ts'
import { providerMissing } from '../../accept/prepare-content.ts'
import { requireApproved } from '../../catalogue/carrier-templates/require-approved.ts'
import { layoutFinder } from '../../catalogue/layouts/layout-catalogue.ts'
import { chooseText, type Texts } from '../../catalogue/translations/choose-text.ts'
import type { ChannelDefinition, Draft, Payload } from '../../channels/channel.ts'
import { isFixed } from '../../channels/template-faults.ts'

interface Broadcast {
  principal: Sender
  request: DispatchRequest
  /** Of the event or the stored template that it names. */
  texts: Texts | undefined
}

/**
 * Applies the rules of a dispatch that do not depend on the member.
 * @throws Problem with the code that every member would be refused with
 */
export async function requireSendable(context: AcceptContext, { principal, request, texts }: Broadcast): Promise<void> {
  const { channel } = request
  const definition = context.channels[channel]
  if (!definition) throw providerMissing(channel)
  const { draft, alternatives } = await draftOf(context, definition, { principal, request, texts })
  const providers = await requireProvider(context, principal, definition)
  if (draft.from !== undefined) await requireVerified(context, principal.tenant_id, draft.from)
  // A member gets one of these if none in the own languages is approved, and the broadcast would wait for the first such member.
  if (draft.template) await requireApproved(context, providers, alternatives)
  if (definition.delivery.by === 'hand-off') requireNoTerms({ request }, channel)
  if (texts) return
  const composed = await composeOwn(context, principal, draft)
  requireTextThatFits({ request }, providers, definition.sizeOf?.(composed))
}

/** Addresses of a member. */
const sample: Readonly<Record<string, string>> = { email: 'member@example.com', phone: '+15550100000' }

/** What a member without a language gets. @throws Problem for a fault of another field than the address */
function draftOf(context: AcceptContext, definition: ChannelDefinition, { principal, request, texts }: Broadcast) {
  const { recipient, layout_id: _, ...others } = request
  const { user_id, ...fields } = recipient as Record<string, unknown>
  const { addressField } = channelContracts[request.channel]
  const member = addressField === undefined ? 'member' : { ...fields, [addressField]: sample[addressField] }
  return chooseText(context, { principal, request: { ...others, recipient: member }, lane: 'bulk' }, definition, texts)
}

/** Composes the content that the caller wrote, with a word in place of each text that depends on variables. */
async function composeOwn(
  context: AcceptContext,
  { tenant_id: tenantId, application_id: applicationId }: Sender,
  draft: Draft,
): Promise<Payload> {
  const findLayout = layoutFinder(context, { tenantId, applicationId, locale: undefined })
  const fill: Fill = (named) =>
    Promise.all(
      named.map(async ({ form, template, part = '' }) => {
        const fault = await context.renderer.faultOf(tenantId, { form, template })
        if (fault) throw fieldProblem('validation_failed', part, `cannot be rendered: ${fault}`)
        return isFixed(template) ? template : 'text'
      }),
    )
  const inTurn: InTurn = (work) => context.renderer.inTurn(tenantId, work)
  return draft.compose(undefined, fill, { findLayout, inTurn })
}
