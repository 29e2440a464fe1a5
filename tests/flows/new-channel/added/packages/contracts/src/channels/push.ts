import { z } from 'zod'
import { carrier, defineRoute } from '../route.ts'
import type { ChannelContract } from './channel-contract.ts'

export const push = {
  template: z.strictObject({ alert: z.string().min(1) }),
  recipientFields: ['device'],
  shownFields: [],
  showsData: false,
  sendsCodes: false,
  needsConsent: false,
  suppresses: false,
  example: { template: { alert: 'Order {{order}} is on its way, {{name}}' } },
} as const satisfies ChannelContract

export const pushCallback = defineRoute({
  name: 'pushCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/push/:provider_id',
  summary: 'Receive a push receipt',
  auth: carrier,
  params: z.object({ provider_id: z.string() }),
  bodyType: 'raw',
  requestType: 'application/json',
  requestExample: '{"notification_id":"notif_01jd3x8qk5w9t2m4v6b8n0p2r4","status":"delivered"}',
  responses: { 200: z.object({ status: z.literal('recorded') }) },
  errors: ['not_found', 'invalid_signature', 'validation_failed'],
})
