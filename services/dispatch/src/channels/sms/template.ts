import type { EventTemplates } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { textFaults } from '../template-faults.ts'
import { maxCharacters } from './compose.ts'
import { countSegments } from './count-segments.ts'

export const smsTemplate: ChannelTemplate<NonNullable<EventTemplates['sms']>> = {
  map: ({ body }, visit) => ({ body: visit(body, 'text', 'sms.body') }),
  segmentsOf: ({ body }) => countSegments(body),
  codeTexts: ({ body }) => ({ 'sms.body': body }),
  faults: ({ body }) => textFaults('sms.body', body, maxCharacters),
}
