import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Channel, Templates } from '../channels/channel.ts'

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

/** How the service previews the templates of something. */
export interface Previewer {
  /** Of the event or stored template. */
  name: string
  preview: (request: PreviewRequest, signal: AbortSignal) => Promise<{ rendered: Templates }>
}

/** What the service makes of templates that are not saved. The previous answer stays until the next one is there. */
export function usePreview({ name, preview }: Previewer, request: PreviewRequest) {
  // Compared as text, so that an equal request is not made again.
  const body = useSettled(JSON.stringify(request))
  return useQuery({
    queryKey: ['preview', name, body],
    queryFn: ({ signal }) => preview(JSON.parse(body), signal),
    placeholderData: (previous) => previous,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
}
