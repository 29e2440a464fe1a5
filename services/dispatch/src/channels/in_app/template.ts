import type { EventTemplates } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { mapJson } from '../json-texts.ts'
import { lengthFaults, textFaults } from '../template-faults.ts'

export const longest = { title: 998, body: 100_000 } as const

export const inAppTemplate: ChannelTemplate<NonNullable<EventTemplates['in_app']>> = {
  map: ({ title, body, data }, visit) => ({
    title: visit(title, 'text', 'in_app.title'),
    body: visit(body, 'text', 'in_app.body'),
    ...(data === undefined ? {} : { data: mapJson(data, 'in_app.data', visit) }),
  }),
  faults: ({ title, body }) => [
    ...textFaults('in_app.body', body, longest.body),
    ...lengthFaults('in_app.title', title, longest.title),
  ],
}
