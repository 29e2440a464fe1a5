import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Channel } from '../../api/channels.ts'
import { answer, api } from '../../api/client.ts'
import type { EventId, Templates } from './queries.ts'

const settleMs = 350

/** A value once it has stayed the same for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

export interface PreviewRequest {
  channel: Channel
  templates: Templates
  data: Record<string, unknown>
}

/** What the service makes of templates that are not saved. The previous answer stays until the next one is there. */
export function usePreview({ applicationId, eventKey }: EventId, request: PreviewRequest) {
  // Compared as text, so that an equal request is not made again.
  const body = useSettled(JSON.stringify(request))
  return useQuery({
    queryKey: ['preview', applicationId, eventKey, body],
    queryFn: ({ signal }) => {
      const params = { path: { application_id: applicationId, event_key: eventKey } }
      return answer(
        api.POST('/api/v1/applications/{application_id}/events/{event_key}/preview', {
          params,
          body: JSON.parse(body),
          signal,
        }),
      )
    },
    placeholderData: (previous) => previous,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
}
