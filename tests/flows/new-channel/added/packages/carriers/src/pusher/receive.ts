import { pushCallback } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { defineReceiver } from '../receiver.ts'

const Body = z.object({
  id: z.string(),
  notification_id: z.templateLiteral(['notif_', z.string()]),
  attempt_id: z.templateLiteral(['att_', z.string()]),
  status: z.enum(['delivered', 'undelivered']),
})

export const pusherReceiver = defineReceiver({
  channel: 'push',
  keep: z.object({ token: z.string() }).transform(({ token }) => ({ secret: token })),
  environment: {},
  start: () => ({}),
  endpoints: [
    {
      contract: pushCallback,
      open: (_state, { body, headers, params }) => ({
        of: { providerId: params.provider_id! },
        receive([account]) {
          if (!account || headers.authorization !== `Bearer ${account.secret}`) {
            throw new Problem('invalid_signature', 'The token is another one')
          }
          const { id, status, ...correlation } = Body.parse(JSON.parse(body.toString()))
          const report = {
            type: 'receipt',
            account,
            provider_message_id: id,
            status,
            error_code: null,
            ...correlation,
          } as const
          return { reports: [report], answer: { status: 'recorded' } }
        },
      }),
    },
  ],
})
