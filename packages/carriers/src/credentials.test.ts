import { expect, test } from '@jest/globals'
import { MailgunCredentials } from './mailgun/credentials.ts'
import { SesCredentials } from './ses/credentials.ts'
import { SmtpCredentials } from './smtp/credentials.ts'
import { TwilioCredentials } from './twilio/credentials.ts'

const account = { account_sid: `AC${'0a'.repeat(16)}`, auth_token: 'f'.repeat(32) }
const sender = { from: '+15005550006' }
const service = { messaging_service_sid: `MG${'0a'.repeat(16)}` }

test.each([
  ['a sender', { ...account, ...sender }],
  ['a messaging service', { ...account, ...service }],
])('an account with %s is accepted', (_what, credentials) => {
  expect(TwilioCredentials.safeParse(credentials).success).toBe(true)
})

test.each([
  ['neither sender nor service', account],
  ['both', { ...account, ...sender, ...service }],
  ['an account id in upper case', { ...account, ...sender, account_sid: `AC${'0A'.repeat(16)}` }],
  ['a short token', { ...account, ...sender, auth_token: 'f' }],
  ['a sender that is not a number', { ...account, from: 'Shop' }],
  ['an unknown field', { ...account, ...sender, region: 'ie1' }],
])('an account with %s is refused', (_what, credentials) => {
  expect(TwilioCredentials.safeParse(credentials).success).toBe(false)
})

const ses = {
  region: 'eu-west-1',
  access_key_id: 'AKIA0123456789ABCDEF',
  secret_access_key: 'x/'.repeat(20),
  from: 'orders@example.com',
}
const topic = 'arn:aws:sns:eu-west-1:123456789012:ses-events'

test.each([
  ['only its required fields', {}],
  ['a name', { from_name: 'Łukasz "the shop" <3, Ltd.' }],
  ['a configuration set', { configuration_set: 'with_events-1' }],
  ['one topic', { topic_arns: topic }],
  ['several topics', { topic_arns: `${topic}, arn:aws-us-gov:sns:us-gov-west-1:123456789012:more` }],
  ['a region of another partition', { region: 'us-gov-west-1' }],
  ['a tagged sender', { from: 'orders+eu@mail.xn--bcher-kva.example' }],
])('an SES account with %s is accepted', (_what, fields) => {
  expect(SesCredentials.safeParse({ ...ses, ...fields }).success).toBe(true)
})

const injections = [
  'Shop\r\nBcc: all@example.com',
  'Shop\nBcc: all@example.com',
  'Shop\rBcc: x@example.com',
  'Sh\0op',
  'Shop\u2028Bcc: x@example.com',
  'Shop\u0085Bcc: x@example.com',
  '',
  'x'.repeat(201),
]
const notSenders = [
  'Shop <orders@example.com>',
  'orders@example.com\r\nBcc: all@example.com',
  'orders@example.com,all@example.com',
  'orders@',
  '@example.com',
  'orders@localhost',
  'orders@[127.0.0.1]',
  'orders@127.0.0.1',
  'orders @example.com',
  '.orders@example.com',
  'or..ders@example.com',
  'łódź@example.com',
  'orders@bücher.example',
  `${'x'.repeat(65)}@example.com`,
  `orders@${'x'.repeat(64)}.example`,
  `orders@${'x.'.repeat(150)}example`,
]

test.each<[string, unknown]>([
  ...injections.map((from_name): [string, unknown] => ['from_name', from_name]),
  ...notSenders.map((from): [string, unknown] => ['from', from]),
  ['region', 'eu-west-1.evil.example/'],
  ['region', 'EU-WEST-1'],
  ['region', ''],
  ['access_key_id', 'short'],
  ['access_key_id', 'akia0123456789abcdef'],
  ['secret_access_key', 'with a space in it'],
  ['configuration_set', 'no spaces'],
  ['configuration_set', ''],
  ['topic_arns', 'arn:aws:sqs:eu-west-1:123456789012:queue'],
  ['topic_arns', `${topic},`],
  ['topic_arns', [topic]],
  ['endpoint', 'https://evil.example'],
])('an SES account whose %s is %j is refused, and the field is named', (field, value) => {
  const { error } = SesCredentials.safeParse({ ...ses, [field]: value })
  expect(JSON.stringify(error?.issues)).toContain(field)
})

const smtp = { host: 'mail.example.com', port: '587', security: 'starttls', from: 'orders@example.com' }
const login = { username: 'apikey', password: 'a long password with spaces' }

test.each([
  ['without a login', smtp],
  ['with a login', { ...smtp, ...login }],
  ['with TLS from the first byte', { ...smtp, ...login, security: 'tls', port: '465' }],
  ['on the same network', { ...smtp, host: 'relay', port: '25', security: 'none' }],
  ['by its address', { ...smtp, host: '10.0.0.25' }],
])('an SMTP server %s is accepted', (_what, credentials) => {
  expect(SmtpCredentials.safeParse(credentials).success).toBe(true)
})

test.each<[string, unknown]>([
  ...injections.map((from_name): [string, unknown] => ['from_name', from_name]),
  ...notSenders.map((from): [string, unknown] => ['from', from]),
  ['host', 'smtp://mail.example.com'],
  ['host', 'mail.example.com:25'],
  ['host', 'mail.example.com\r\nQUIT'],
  ['host', '-mail.example.com'],
  ['host', 'mail..example.com'],
  ['host', 'mail_1.example.com'],
  ['host', 'x'.repeat(64)],
  ['host', `${'x.'.repeat(127)}xx`],
  ['host', ''],
  ['port', '0'],
  ['port', '65536'],
  ['port', '99999999999'],
  ['port', '25a'],
  ['port', '-25'],
  ['port', 25],
  ['port', ''],
  ['security', 'ssl'],
  ['username', 'a\r\nb'],
  ['path', '/usr/sbin/sendmail'],
])('an SMTP server whose %s is %j is refused, and the field is named', (field, value) => {
  const { error } = SmtpCredentials.safeParse({ ...smtp, ...login, [field]: value })
  expect(JSON.stringify(error?.issues)).toContain(field)
})

test('a login has both user name and password, and requires encryption', () => {
  expect(SmtpCredentials.safeParse({ ...smtp, username: 'apikey' }).success).toBe(false)
  expect(SmtpCredentials.safeParse({ ...smtp, password: 'secret' }).success).toBe(false)
  expect(SmtpCredentials.safeParse({ ...smtp, ...login, security: 'none' }).error?.issues[0]?.path).toEqual([
    'security',
  ])
})

test('an address of 10,000 characters is refused at once', () => {
  const from = `${'x.'.repeat(5000)}@example.com`
  const before = process.threadCpuUsage()
  expect(SesCredentials.safeParse({ ...ses, from }).success).toBe(false)
  expect(SmtpCredentials.safeParse({ ...smtp, from }).success).toBe(false)
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(200)
})

test.each([
  ['mg.example.com', true],
  ['xn--bcher-kva.example', true],
  ['mg.пример.рф', false],
  ['mg.xn--e1afmkfd.xn--p1ai', true],
  ['mg.example.xn--', false],
  ['mg.example.xn--p1ai-', false],
  ['mg.example.c0m', false],
  ['192.0.2.1', false],
])('the sending domain %s at Mailgun is taken: %s', (domain, isTaken) => {
  const credentials = { api_key: 'key-of-mailgun', domain, from: 'orders@example.com' }
  expect(MailgunCredentials.safeParse(credentials).success).toBe(isTaken)
})
