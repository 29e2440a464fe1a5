import type { EventTemplates } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'

export const pushTemplate: ChannelTemplate<NonNullable<EventTemplates['push']>> = {
  map: ({ alert }, visit) => ({ alert: visit(alert, 'text', 'push.alert') }),
  faults: () => [],
}
