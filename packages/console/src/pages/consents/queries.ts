import { type components, Problem } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api, unanswered } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import { showToast } from '../../ui/toasts.tsx'
import { maskNumber } from './words.ts'

const pageSize = 50
const pollMs = 15_000
const key = ['consents']

/** The latest entries of the ledger. */
export function useLedger(cursor: string | undefined) {
  return useQuery({
    queryKey: [...key, 'ledger', cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/whatsapp/opt-ins', {
          params: { query: { limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

/** Whether the ledger has no entry of a number. */
export const isUnknown = (error: unknown): boolean => error instanceof Problem && error.code === 'not_found'

/** The consent of the number that a token stands for, with its history. Requests nothing without a token. */
export function useConsent(token: string) {
  return useQuery({
    queryKey: [...key, 'number', token],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/whatsapp/opt-ins/{phone_e164}', { params: { path: { phone_e164: token } }, signal })),
    enabled: token !== '',
    refetchInterval: ({ state }) => (isUnknown(state.error) ? false : pollEvery(pollMs)()),
  })
}

export function useRecordOptIn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: components['schemas']['NewOptIn']) => answer(api.POST('/api/v1/whatsapp/opt-ins', { body })),
    onSuccess: ({ phone_e164 }) => {
      showToast({ tone: 'good', text: `The opt-in of ${maskNumber(phone_e164)} is recorded.` })
      return client.invalidateQueries({ queryKey: key })
    },
  })
}

export function useRecordOptOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: components['schemas']['NewOptOut']) =>
      answer(api.POST('/api/v1/whatsapp/opt-outs', { body, headers: withNewKey() })),
    onSuccess: ({ phone_e164 }) => {
      // The same opt-in would get the answer of the one before this opt-out.
      unanswered.forget('whatsapp')
      showToast({ tone: 'good', text: `The opt-out of ${maskNumber(phone_e164)} is recorded.` })
      return client.invalidateQueries({ queryKey: key })
    },
  })
}
