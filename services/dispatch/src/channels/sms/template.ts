import type { EventTemplates } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { textFaults } from '../template-faults.ts'
import { maxCharacters } from './compose.ts'

export const smsTemplate: ChannelTemplate<NonNullable<EventTemplates['sms']>> = {
  map: ({ body }, visit) => ({ body: visit(body, 'text', 'sms.body') }),
  codeTexts: ({ body }) => ({ 'sms.body': body }),
  faults: ({ body }) => textFaults('sms.body', body, maxCharacters),
}
