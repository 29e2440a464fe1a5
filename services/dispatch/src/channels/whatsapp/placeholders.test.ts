import { expect, test } from '@jest/globals'
import type { WhatsAppTemplateContent } from '@notify/contracts'
import { misfits } from './placeholders.ts'

const content: WhatsAppTemplateContent = { header: null, body: 'Hi.', footer: null, buttons: [] }
const button = (type: string) => ({ type, text: 'Open', url: null })

test.each<[string, Partial<WhatsAppTemplateContent>]>([
  ['button of type flow', { buttons: [button('quick_reply'), button('flow')] }],
  ['button of type mpm', { buttons: [button('mpm')] }],
  ['button of type order_details', { buttons: [button('order_details')] }],
  ['component of type carousel', { other_components: ['carousel'] }],
])('a template with a %s fits no parameters', (what, parts) => {
  const message = `has a ${what}, which cannot be sent: choose another template`
  expect(misfits({ parameters: [] }, { ...content, ...parts })).toEqual([{ path: 'whatsapp.template_name', message }])
})

test('buttons that need no value fit without one', () => {
  const buttons = ['quick_reply', 'phone_number', 'url', 'voice_call', 'catalog'].map(button)
  expect(misfits({ parameters: [] }, { ...content, buttons })).toEqual([])
})
