import { useMutation, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { useHasPermission } from '../../api/me.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelPages } from '../../channels/table.ts'
import type { Mode } from '../../ui/mode.ts'
import type { Person, PersonName } from './words.ts'

const pollMs = 15_000
const historySize = 20
const latest = 10

const pathOf = ({ applicationId, token }: Person) => ({
  path: { application_id: applicationId, recipient_token: token },
})
const keyOf = ({ applicationId, token, mode }: Person) => ['people', applicationId, token, mode]

/** What a person has chosen, and what follows from it for each topic. */
export function usePreferences(person: Person) {
  return useQuery({
    queryKey: [...keyOf(person), 'preferences'],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/recipients/{recipient_token}/preferences', {
          params: { ...pathOf(person), query: { mode: person.mode } },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
  })
}

/** Every change of it, newest first. */
export function useChanges(person: Person, cursor: string | undefined) {
  return useQuery({
    queryKey: [...keyOf(person), 'changes', cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/recipients/{recipient_token}/preference-changes', {
          params: {
            ...pathOf(person),
            query: { mode: person.mode, limit: historySize, ...(cursor ? { cursor } : {}) },
          },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

/** The user id and the address that a message of a channel is judged by. */
function judgedBy({ of, token }: Person, names: readonly PersonName[], channel: Channel) {
  if (names.length === 0) return of === 'user' ? { user_token: token } : { address_token: token }
  const tokenOf = (kind: PersonName['of']) => names.find((name) => name.of === kind)?.recipient_token
  const address = tokenOf(channelPages[channel].addressedBy ?? 'user')
  const user = tokenOf('user')
  return {
    ...(user ? { user_token: user } : {}),
    ...(address && address !== user ? { address_token: address } : {}),
  }
}

/** Explains whether a message to the person would be sent. An empty topic: one without a topic. */
export function useExplanation(person: Person, names: readonly PersonName[]) {
  return useMutation({
    mutationFn: ({ topic, channel }: { topic: string; channel: Channel }) => {
      const { applicationId, mode } = person
      const name = judgedBy(person, names, channel)
      const body = { application_id: applicationId, mode, ...name, channel, ...(topic ? { topic } : {}) }
      return answer(api.POST('/api/v1/preferences/explain', { body, headers: withNewKey() }))
    },
  })
}

/** Suppressions of the address, in all channels. */
export function useSuppressionsOf(recipient_token: string) {
  return useQuery({
    queryKey: ['suppressions', 'of', recipient_token],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/suppressions', { params: { query: { recipient_token, limit: latest } }, signal })),
    refetchInterval: pollEvery(pollMs),
  })
}

/** The last messages to the recipient. Nothing is requested without the permission to see them. */
export function useLastMessages(recipient_token: string, mode: Mode) {
  const may = useHasPermission()
  return useQuery({
    queryKey: ['activity', 'of', recipient_token, mode],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/activity', { params: { query: { recipient_token, mode, limit: latest } }, signal })),
    enabled: may('activity:read'),
    refetchInterval: pollEvery(pollMs),
  })
}
