import {
  type Channel,
  type Frequency,
  newId,
  type PreferenceSource,
  type PreferenceState,
  topicPreferenceChanged,
} from '@notify/contracts'
import { enqueueEvents, type Run } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import { Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { changeChoices } from './change-choices.ts'
import type { Subject } from './person.ts'
import type { PreferenceOwner } from './preference-store.ts'

/** A choice that a person makes, as a request names it. */
export interface Wanted {
  topic: string
  channel: Channel | '*'
  /** Null removes the choice. */
  state: PreferenceState | null
  /** Undefined: it stays as it is. */
  frequency?: Frequency | null | undefined
}

/** Through what, and by whom if not by the person. */
export interface Origin {
  source: PreferenceSource
  actor: string | null
}

/** @throws Problem `topic_not_found`, or `topic_is_required` for a topic that cannot be switched off */
export async function requireChoosable(
  { directory }: WithTopics,
  { applicationId }: PreferenceOwner,
  wanted: readonly Wanted[],
): Promise<void> {
  const topics = new Map((await directory.topics.list(applicationId)).map((topic) => [topic.topic_key, topic]))
  const refuse = (code: 'topic_not_found' | 'topic_is_required', at: number, message: string) =>
    new Problem(code, `rules.${at}.topic ${message}`, { errors: [{ path: `rules.${at}.topic`, message }] })
  for (const [at, { topic, state }] of wanted.entries()) {
    // What was chosen before the topic was deleted can still be removed.
    if (topic === '*' || state === null) continue
    const known = topics.get(topic)
    if (!known) throw refuse('topic_not_found', at, 'names no topic of the application')
    if (known.kind === 'required' && state === 'off')
      throw refuse('topic_is_required', at, 'names a topic that cannot be switched off')
  }
}

/** A choice of one of the subjects of a person. */
export interface SubjectChoice extends Wanted {
  subject: Subject
  changed_at?: string | undefined
}

/** Makes choices and publishes what they change, in one transaction. @returns how many changed anything */
export async function makeChoices(
  { secrets }: Pick<Context, 'secrets'>,
  run: Run,
  owner: PreferenceOwner,
  choices: readonly SubjectChoice[],
  origin: Origin,
): Promise<number> {
  const made = choices.map((choice) => ({ ...choice, id: newId('pref'), recipient_index: choice.subject.index }))
  const changed = new Map(
    (
      await changeChoices(
        run,
        owner,
        made.map(({ subject: _, ...row }) => row),
        origin,
      )
    ).map((row) => [row.id, row.changed_at]),
  )
  const events = made
    .filter(({ id }) => changed.has(id))
    .map(({ id, subject, topic, channel, state, frequency, recipient_index }) => {
      const { tenantId: tenant_id, applicationId: application_id, mode } = owner
      const scope = { change_id: id, tenant_id, application_id, mode, recipient_index, topic, channel, state }
      const event = {
        ...scope,
        source: origin.source,
        occurred_at: changed.get(id)!.toISOString(),
        ...(frequency && { frequency }),
      }
      const content = subject.of === 'user' ? { user_id: subject.name } : { address: subject.name }
      return { event: sealEvent(secrets.keyRing, topicPreferenceChanged, event, content) }
    })
  await enqueueEvents(run, topicPreferenceChanged, events)
  return changed.size
}
