import type { EventTemplates } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { mapJson } from '../json-texts.ts'

export const webhookTemplate: ChannelTemplate<NonNullable<EventTemplates['webhook']>> = {
  map: ({ data }, visit) => ({ data: mapJson(data, 'webhook.data', visit) }),
  faults: () => [],
}
