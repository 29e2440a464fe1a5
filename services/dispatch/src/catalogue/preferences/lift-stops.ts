import type { Run } from '@notify/database'
import { findRecipientsOf } from '../recipients/recipient-store.ts'
import type { LinkedAddress } from './linked-subjects.ts'
import type { SubjectChoice, Wanted } from './make-choices.ts'
import { type PreferenceOwner, readChoices } from './preference-store.ts'

/**
 * The choices that a change by a user also makes for the user's addresses: switching on or removing lifts an `off` of the same topic and
 * channel, which a link in an email may have made. An address of several users is nobody's alone: its choices stay.
 */
export async function liftedStops(
  run: Run,
  owner: PreferenceOwner,
  addresses: readonly LinkedAddress[],
  wanted: readonly Wanted[],
): Promise<SubjectChoice[]> {
  if (addresses.length === 0 || wanted.every(({ state }) => state === 'off')) return []
  const indexes = addresses.map(({ index }) => index)
  const stops = (await readChoices(run, owner, indexes)).filter(({ state }) => state === 'off')
  const lifted: SubjectChoice[] = []
  for (const subject of addresses) {
    const choices = stops
      .filter(({ recipient_index }) => recipient_index === subject.index)
      .flatMap(({ topic, channel }): SubjectChoice[] => {
        const last = wanted.findLast((one) => one.topic === topic && one.channel === channel)
        return last && last.state !== 'off' ? [{ topic, channel, state: last.state, subject }] : []
      })
    if (choices.length > 0 && (await findRecipientsOf(run, { ...owner, index: subject.index })).length === 1)
      lifted.push(...choices)
  }
  return lifted
}
