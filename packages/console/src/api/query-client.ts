import { Problem } from '@notify/sdk'
import { QueryClient } from '@tanstack/react-query'
import { SignedOutError } from '../session/session.ts'
import { isGatewayAway } from './connection.ts'

/** Whether a repetition may succeed; a refusal is final. */
function isPassing(error: unknown): boolean {
  if (error instanceof Problem) return error.status >= 500 || error.status === 429
  return !(error instanceof SignedOutError)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // While the gateway is down, polls call it often enough.
      retry: (failures, error) => failures < 2 && isPassing(error) && !isGatewayAway(),
      staleTime: 2000,
      // The gateway may be reachable while the browser reports offline: on a laptop without a network, for example.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
