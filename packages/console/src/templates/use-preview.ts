import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Channel, Templates } from '../channels/channel.ts'

const settleMs = 350

/** A value after it has stayed the same for a moment. */
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
  /** The language of the templates, in which numbers and times are written. */
  locale?: string
  time_zone?: string
}

interface Preview {
  rendered: Templates
  sms_segments: components['schemas']['SmsSegments'] | null
  whatsapp_message: components['schemas']['WhatsAppTemplateContent'] | null
}

/** Previews templates at the service. */
export interface Previewer {
  /** The query key of the event or stored template. */
  name: string
  /** The language of templates that are no translation. */
  locale?: string
  time_zone?: string
  /** Whether it gives the templates the variables of a digest. */
  hasDigest?: boolean
  preview: (request: PreviewRequest, signal: AbortSignal) => Promise<Preview>
}

/** The preview of unsaved templates. The previous answer stays until the next one arrives. */
export function usePreview({ name, preview }: Previewer, request: PreviewRequest) {
  // Compared as text, so that an equal request is not repeated.
  const body = useSettled(JSON.stringify(request))
  return useQuery({
    queryKey: ['preview', name, body],
    queryFn: ({ signal }) => preview(JSON.parse(body), signal),
    placeholderData: (previous) => previous,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}
