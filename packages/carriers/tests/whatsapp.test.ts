import { createHmac } from 'node:crypto'
import { metaCodes } from '../src/meta/codes.ts'
import type { Answer } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const numbers = [0, 1, 7].map((nth) => ({
  phone_number_id: `10654035224292${nth}`,
  business_account_id: `10229012934039${nth}`,
  access_token: `EAA-access-token-${nth}`,
  app_secret: `app-secret-number-${nth}`,
}))
const signer = numbers[2]!
const refusal = (status: number, code: number, details = 'Refused'): Answer => ({
  status,
  body: { error: { message: `(#${code}) Refused`, code, error_data: { messaging_product: 'whatsapp', details } } },
})
const update = (value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: signer.business_account_id,
      changes: [{ field: 'messages', value: { metadata: { phone_number_id: signer.phone_number_id }, ...value } }],
    },
  ],
})
const status = (name: string, errors?: object[]) => update({ statuses: [{ id: 'wamid.1', status: name, errors }] })
const later = { outcome: 'rejected_retryable' } as const

testCarrier({
  kind: 'whatsapp_cloud',
  sandbox: (publicUrl, ids) => ({
    META_NUMBERS: JSON.stringify(
      ids.map((id, nth) => ({ ...numbers[nth], webhook_url: `${publicUrl}/api/v1/callbacks/cloud/${id}` })),
    ),
  }),
  connect: async ({ nth }) => numbers[nth]!,
  wrong: { access_token: 'EAA-token-of-nobody' },
  sending: (url) => ({ META_API_URL: `${url}/meta`, META_API_VERSION: 'v23.0' }),
  refusals: [
    ['the throughput of the number', refusal(400, 130429), { ...later, code: '130429' }],
    ['one recipient that has to wait', refusal(400, 131056), { ...later, recipientOnly: true }],
    ['an unknown template', refusal(404, 132001), { outcome: 'rejected_permanent', code: '132001' }],
    [
      'a number that does not exist, or that the token may not use,',
      { status: 400, body: { error: { message: "Object with ID '1' does not exist", code: 100, error_subcode: 33 } } },
      {
        ...later,
        providerDown: true,
        message: '100 The number of the sender does not exist, or the access token may not use it',
      },
    ],
    ['an expired token', refusal(401, 190), { ...later, providerDown: true }],
    [
      'a code that is not listed keeps its words, without the number',
      refusal(400, 999, 'Recipient +1 555 123 4567 is odd'),
      { outcome: 'rejected_permanent', message: '999 Recipient [number] is odd' },
    ],
  ],
  codes: {
    table: metaCodes,
    answer: (code) => refusal(400, Number(code)),
    documented: {
      accountDown: '0 3 10 33 190 368 131031 131037 131042 131045 131048 131057 131064 133010',
      later: '1 4 80007 130429 131000 131063 132015',
      carrierFault: '2 131016',
      permanent: `100 130403 130472 130497 131008 131009 131021 131026 131030 131047 131049 131050 132000 132001 132005
        132007 132012 132016`,
      recipientWaits: '131056',
    },
  },
  undelivered: { status: 'failed', error_code: '131026', retryable: false },
  proof: {
    secret: 'app_secret',
    signer: {
      credentials: signer,
      sign(body) {
        const signature = createHmac('sha256', signer.app_secret).update(body).digest('hex')
        return { body: Buffer.from(body), headers: { 'x-hub-signature-256': `sha256=${signature}` } }
      },
      failure: (details) => status('failed', [{ code: 999, title: 'Failed', error_data: { details } }]),
    },
    events: [
      ['a message that was read', status('read'), [{ status: 'read', provider_message_id: 'wamid.1' }]],
      [
        'a failure that an operator may retry after a day',
        status('failed', [{ code: 131049, title: 'Not delivered to +1 555 123 4567' }]),
        [{ status: 'failed', error_code: '131049', retryable: true }],
      ],
      ['a status that is no state of delivery', status('deleted'), []],
      ['updates of another object', { ...status('read'), object: 'page' }, []],
    ],
  },
})
