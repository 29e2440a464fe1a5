import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

export const webhook = {
  template: z.strictObject({ data: z.record(z.string(), z.json()) }),
  recipientFields: ['url'],
  addressField: 'url',
  shownFields: [],
  showsData: true,
  sendsCodes: false,
  needsConsent: false,
  suppresses: false,
  example: { template: { data: { order: '{{order}}', customer: '{{name}}', status: 'shipped' } } },
} as const satisfies ChannelContract
