import type { Channel } from '../../api/channels.ts'
import type { Templates } from '../../templates/template-forms.ts'

const title = 'A title'
const body = 'Hello {{ name }}'

/** What a new template says until it is written: the service stores none without a text. */
export const firstTexts: Record<Channel, Templates> = {
  email: { email: { subject: title, body } },
  sms: { sms: { body } },
  whatsapp: {
    whatsapp: { template_name: 'hello_world', language: 'en_US', category: 'utility', parameters: ['{{ name }}'] },
  },
  in_app: { in_app: { title, body } },
  webhook: { webhook: { data: { name: '{{ name }}' } } },
}
