import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { showToast } from './toasts.tsx'

interface ActionOptions<Data, Variables> {
  mutationFn: (variables: Variables) => Promise<Data>
  /** What a toast says before the reason when it failed: `Not retried`. */
  failure: string
  /** The queries that show its effect, read again also after a failure: it may have taken effect without an answer. */
  refreshes: QueryKey
  onMutate?: (variables: Variables) => void
  onSuccess?: (data: Data, variables: Variables) => void
  onError?: (error: Error, variables: Variables) => void
}

/** A change by a button without a form: a toast says why `mutate` failed. `mutateAsync` leaves that to its caller, such as a dialog. */
export function useAction<Data, Variables = void>(options: ActionOptions<Data, Variables>) {
  const { failure, refreshes, onSuccess, onError, ...others } = options
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: refreshes })
  const mutation = useMutation({
    ...others,
    onSuccess: (data: Data, variables: Variables) => {
      onSuccess?.(data, variables)
      return refresh()
    },
    onError: (error: Error, variables: Variables) => {
      onError?.(error, variables)
      // Not waited for: the reason is shown at once.
      void refresh()
    },
  })
  const mutate = (variables: Variables) =>
    void mutation
      .mutateAsync(variables)
      .catch((error: Error) => showToast({ tone: 'bad', text: `${failure}: ${error.message}` }))
  return { ...mutation, mutate }
}
