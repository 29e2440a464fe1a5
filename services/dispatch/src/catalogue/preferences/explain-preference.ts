import {
  type Channel,
  channelContracts,
  type explainPreference as contract,
  type Id,
  type KeyMode,
  type PreferenceExplanation,
  SuppressionChannel,
} from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithConsents } from '../consents/consent-directory.ts'
import { consentFault } from '../consents/judge-consent.ts'
import { recipientId } from '../recipients/recipient-content.ts'
import type { WithRecipients } from '../recipients/recipient-directory.ts'
import { findSuppressed } from '../suppressions/find-suppressed.ts'
import { topicMissing } from '../topics/describe-topic.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { categoriesSent } from '../topics/topic-store.ts'
import { appliesTo, decidePreference } from './decide-preference.ts'
import { ownerOfCaller, type Subject, subjectsOf, subjectsOfTokens } from './person.ts'
import { type PreferenceOwner, readChoices } from './preference-store.ts'

type Needs = Context & WithTopics & WithConsents & WithRecipients
type Considered = PreferenceExplanation['considered'][number]
type Asked = Omit<Subject, 'name'>
interface Message {
  topic?: string | undefined
  channel: Channel
}
/** Which of them decides is known at the end. */
type Step = Omit<Considered, 'decided'>

/** Explains whether a message would be sent: everything that is looked at, in the order in which it decides. */
export const explainPreference = idempotentAnswer<Needs, typeof contract>(async (context, { body, principal }) => {
  const owner = ownerOfCaller(principal, body.application_id, body.mode)
  const named = [...subjectsOf(context, owner.tenantId, body), ...subjectsOfTokens(body)]
  const subjects = [...named, ...(await savedAddress(context, owner, named, body.channel))]
  const steps = [
    ...(await judgeAddress(context, owner, subjects, body)),
    ...(await judgeTopic(context, owner, subjects, body)),
  ]
  const decided = steps.findIndex(({ outcome }) => outcome !== 'passes')
  const considered = steps.map((step, at): Considered => ({ ...step, decided: at === decided }))
  const explanation: PreferenceExplanation = { sends: steps[decided]!.outcome === 'sends', considered }
  return new Reply(200, JSON.stringify(explanation))
})

/** Where an address is not named, that of the user, as in a send to the user. */
async function savedAddress(
  context: Needs,
  { tenantId, applicationId, mode }: PreferenceOwner,
  named: readonly Asked[],
  channel: Channel,
): Promise<Asked[]> {
  const { addressField } = channelContracts[channel]
  const [user] = named
  if (named.length !== 1 || user?.of !== 'user' || addressField === undefined) return []
  const id = recipientId({ tenant_id: tenantId, application_id: applicationId, mode }, user.index)
  const found = await context.directory.recipients.find(id)
  return subjectsOf(context, tenantId, { address: found?.[addressField as 'email' | 'phone'] })
}

/** Suppressions and consent, which decide before any choice. They are about addresses. */
async function judgeAddress(
  context: Needs,
  owner: PreferenceOwner,
  subjects: readonly Asked[],
  { topic, channel }: Message,
): Promise<Step[]> {
  const { tenantId, mode } = owner
  const address = subjects.find(({ of }) => of === 'address')
  if (!address) return []
  const suppression = SuppressionChannel.safeParse(channel).success
    ? [await judgeSuppression(context, { tenantId, channel, mode, index: address.index })]
    : []
  if (!channelContracts[channel].needsConsent) return suppression
  const answer = await context.directory.consents.ask({ tenant_id: tenantId, mode, recipient_index: address.index })
  const isAsked = answer.marketing_stopped && topic !== undefined
  const [category, ...others] = isAsked
    ? await categoriesSent(context.db.run, { ...owner, topicKey: topic }, channel)
    : []
  // Of a topic with templates of several categories some messages are sent.
  const fault = consentFault(answer, category && others.length === 0 ? { category } : undefined)
  const permitted = answer.marketing_stopped
    ? 'The number has an active opt-in, and has stopped marketing: no template of the category marketing is sent'
    : 'The number has an active opt-in'
  return [...suppression, { check: 'consent', outcome: fault ? 'stops' : 'passes', detail: fault ?? permitted }]
}

async function judgeSuppression(
  { db }: Needs,
  { index, ...of }: { tenantId: Id<'ten'>; channel: Channel; mode: KeyMode; index: string },
): Promise<Step> {
  const reason = (await findSuppressed(db, { ...of, indexes: [index] })).get(index)
  return {
    check: 'suppression',
    outcome: reason ? 'stops' : 'passes',
    detail: reason ? `The address is suppressed: ${reason}` : 'The address is not suppressed',
  }
}

async function judgeTopic(
  { directory, db }: Needs,
  owner: PreferenceOwner,
  subjects: readonly Asked[],
  { topic, channel }: Message,
): Promise<Step[]> {
  if (topic === undefined)
    return [{ check: 'topic', outcome: 'sends', detail: 'A message without a topic is always sent' }]
  const known = await directory.topics.find(owner.applicationId, topic)
  if (!known) throw topicMissing('topic')
  const { kind, channels } = known
  if (kind === 'required')
    return [{ check: 'topic', outcome: 'sends', detail: 'The topic is required: it is always sent' }]
  if (!channels.includes(channel))
    return [{ check: 'topic', outcome: 'stops', detail: `The topic does not list ${channel}: a message is refused` }]
  const asked = { topic, channel, kind }
  const nameOf = new Map(subjects.map(({ index, of }) => [index, of]))
  const choices = (await readChoices(db.run, owner, [...nameOf.keys()])).filter((choice) => appliesTo(asked, choice))
  const { by } = decidePreference(asked, choices)
  const steps = choices.map((choice): Step => {
    const { recipient_index, changed_at, frequency: _, ...rest } = choice
    const counts = choice === by
    return {
      check: 'choice',
      outcome: counts ? (choice.state === 'off' ? 'stops' : 'sends') : 'passes',
      detail: counts ? 'This choice decides' : 'Another choice decides, or it is too wide to switch the topic on',
      rule: { of: nameOf.get(recipient_index)!, ...rest, changed_at: changed_at.toISOString() },
    }
  })
  const kindStep: Step = {
    check: 'kind',
    outcome: kind === 'off' ? 'stops' : 'sends',
    detail: `Without a choice the topic is ${kind}`,
  }
  return [{ check: 'topic', outcome: 'passes', detail: `The topic is ${kind} by default` }, ...steps, kindStep]
}
