/** A request of the hostile tenant. */
export interface HostileRequest {
  path: string
  method: 'GET' | 'POST'
  body?: object
}

const loop = '{% for i in (1..1000) %}{% for j in (1..1000) %}{% endfor %}{% endfor %}'
const large = '<'.repeat(235_000)
const list = Array.from({ length: 10_000 }, (_, at) => String((at * 7919) % 10_000))

const sms = (body: string, template_data: object = {}) => ({
  channel: 'sms',
  recipient: { phone: '+15550109999' },
  body,
  template_data,
})
const email = (html_body: string, template_data: object = {}) => ({
  channel: 'email',
  recipient: 'somebody@example.com',
  subject: 'x',
  body: 'x',
  html_body,
  template_data,
})
/** An object with as many entries as fit into a body. */
const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]))
const chain = (filter: string, times: number) => `| ${filter} `.repeat(times)
const one = (body: object): HostileRequest => ({ method: 'POST', path: '/api/v1/notifications', body })
const batch = (body: object, count: number): HostileRequest => ({
  method: 'POST',
  path: '/api/v1/notifications/batch',
  body: { requests: Array.from({ length: count }, () => body) },
})

const doubled = `{% assign x = "aaaaaaaaaa" %}${'{% capture x %}{{x}}{{x}}{% endcapture %}'.repeat(15)}{{ x | size }}`

const filtered = '{% for i in (1..900) %}{{ i | plus: 1 | append: "x" | upcase }}{% endfor %}'

const codes = Array.from({ length: 900 }, (_, at) =>
  [at % 26, Math.floor(at / 26), 0].map((n) => String.fromCharCode(65 + n)).join(''),
)
const zones = Intl.supportedValuesOf('timeZone')

/** Requests of one sending key and one reading operator. Each has delayed other tenants in an earlier version. */
export const sends: Record<string, HostileRequest> = {
  'a large value 2,000 times': one(email('{{x}}'.repeat(2000), { x: large })),
  'a large value, filtered': one(email('{{x|upcase}}'.repeat(2000), { x: large })),
  'a date of a long format': one(sms('{{ "now" | date: f }}', { f: '%9999d'.repeat(30_000) })),
  'the last of a long text': one(
    sms('{{ t | remove_last: p }}', { t: 'a'.repeat(100_000), p: `b${'a'.repeat(50_000)}` }),
  ),
  'liquid in liquid': one(sms(`{% ${'liquid '.repeat(2800)} %}`)),
  'a list sorted over and over': one(sms(`{{ l ${'| sort_natural | reverse '.repeat(200)}| size }}`, { l: list })),
  'a loop': one(sms(loop)),
  'tags alone': one(email('{%if a%}{%endif%}'.repeat(11_000), { a: 1 })),
  'a batch of 100 loops': batch(sms(loop), 100),
  'a batch of 100 texts that double': batch(sms(doubled), 100),
  'a batch of 90 loops in HTML': batch(email(filtered), 90),
  'data of 20,000 keys': one({ channel: 'sms', recipient: '+15550109999', event_key: 'no.such', data: keys }),
  'variables of 20,000 keys': one(sms('Hi', keys)),
  'metadata of 20,000 keys': one({ ...sms('Hi'), metadata: keys }),
  'a batch with 20,000 keys': batch(sms('Hi', keys), 4),
  'a formatter for each of 900 currencies': one(
    sms('{% for c in codes %}{{ 1 | currency: c }}{% endfor %}', { codes }),
  ),
  'a time in every zone': one(sms('{% for z in zones %}{{ 0 | date_time: "full", zone: z }}{% endfor %}', { zones })),
  'a plural of its number 9,000 times': one(
    sms(`{{ n | plural: other: "${'# '.repeat(9000)}" }}`, { n: '9'.repeat(30) }),
  ),
  'a list of 10,000 items joined 100 times': one(
    sms('{% for i in (1..100) %}{{ l | list | size }}{% endfor %}', { l: list }),
  ),
  'a chain of replacements': one(sms(`{{ t ${chain('replace: "a", "bb"', 15)}| size }}`, { t: 'a'.repeat(30) })),
  'a chain of splits': one(sms(`{{ t ${chain('split: "" | join: ""', 300)}| size }}`, { t: 'a'.repeat(100_000) })),
  'a chain of escapes': one(sms(`{{ t ${chain('escape', 300)}| size }}`, { t: 'a'.repeat(200_000) })),
  'a list printed as JSON': one(sms(`{{ l ${chain('json', 10)}| size }}`, { l: list })),
  'a batch of 10 large mails': batch(email('{{x}}'.repeat(1800), { x: 'x'.repeat(490) }), 10),
  'HTML without a text': one({ ...email('<p>x'.repeat(7500)), body: undefined, template_data: undefined }),
  'a long plain body': one({ ...email('x'.repeat(195_000)), body: 'x'.repeat(55_000), template_data: undefined }),
  'a batch of 10 long texts': batch(email('{{x}}'.repeat(2000), { x: 'x'.repeat(490) }), 10),
}

export const reads: Record<string, HostileRequest> = {
  'a deep page': { method: 'GET', path: '/api/v1/activity?page=1000000&limit=100' },
}
