const refreshMs = 1000
const shownMessages = 50
const outcomes = {
  delivered: 'good',
  read: 'good',
  undelivered: 'bad',
  failed: 'bad',
  bounced: 'bad',
  complained: 'bad',
  rejected: 'bad',
}

const element = (id) => document.getElementById(id)
const list = element('messages')
const filter = element('filter')
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const rows = new Map()
let timer
let refreshes = 0

/** Reads the newest messages and changes only the rows that differ, so that scroll, focus and selection stay. */
async function refresh() {
  clearTimeout(timer)
  const mine = ++refreshes
  const query = new URLSearchParams({ ...Object.fromEntries(new FormData(filter)), limit: shownMessages })
  try {
    const [messages, webhooks] = await Promise.all([read(`messages?${query}`), read(`received?limit=${shownMessages}`)])
    if (mine !== refreshes) return
    show(messages)
    showWebhooks(webhooks.items)
    setConnection('live', 'Live')
  } catch {
    if (mine !== refreshes) return
    setConnection('lost', 'The sandbox does not answer')
  }
  timer = setTimeout(refresh, refreshMs)
}

async function read(path) {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.json()
}

function show({ items, total, channels }) {
  offerChannels(channels)
  const shownIds = new Set(items.map((message) => message.id))
  for (const [id, row] of rows) {
    if (shownIds.has(id)) continue
    row.remove()
    rows.delete(id)
  }
  let place = list.firstElementChild
  for (const message of items) {
    const row = rows.get(message.id) ?? createRow(message)
    if (row === place) place = place.nextElementSibling
    else list.insertBefore(row, place)
    setText(row.querySelector('.status'), statusOf(message))
    row.querySelector('.status').dataset.outcome = outcomes[message.status] ?? 'open'
  }
  setText(element('count'), total > items.length ? `newest ${items.length} of ${total}` : `${total}`)
  const isFiltered = [...new FormData(filter).values()].some((value) => value !== '')
  setText(
    element('empty'),
    isFiltered ? 'No message matches the filter.' : 'No messages yet. Send one, and it shows here.',
  )
  element('empty').hidden = items.length > 0
}

/** The filter offers the channels that messages came by, and keeps the chosen one. */
function offerChannels(channels) {
  const select = element('channel')
  const offered = new Set([...select.options].map(({ value }) => value))
  for (const channel of channels) if (!offered.has(channel)) select.add(new Option(channel))
}

function createRow(message) {
  const row = element('message-template').content.cloneNode(true).firstElementChild
  row.querySelector('.channel').textContent = message.channel
  row.querySelector('.to').textContent = message.to
  row.querySelector('.from').textContent = `from ${message.from}`
  row.querySelector('.text').textContent = message.text
  showCode(row, message)
  if (message.subject !== undefined) showEmail(row, message)
  if (message.buttons !== undefined) showBubble(row, message)
  row.querySelector('time').textContent = clock.format(new Date(message.received_at))
  row.querySelector('time').dateTime = message.received_at
  row.querySelector('time').title = message.received_at
  row.querySelector('pre').textContent = requestText(message)
  row.querySelector('pre').ariaLabel = `Request of the message to ${message.to}`
  rows.set(message.id, row)
  return row
}

/** Webhooks never change, so rows are made for new ones only. */
function showWebhooks(items) {
  const shown = new Set(items.map(({ received_id }) => received_id))
  for (const row of [...element('webhooks').children]) if (!shown.has(Number(row.dataset.id))) row.remove()
  const newest = Number(element('webhooks').firstElementChild?.dataset.id ?? 0)
  for (const item of items.toReversed()) {
    if (item.received_id > newest) element('webhooks').prepend(createWebhookRow(item))
  }
  setText(element('webhook-count'), `${items.length}`)
  element('no-webhooks').hidden = items.length > 0
}

function createWebhookRow({ received_id, path, headers, body, verified, received_at }) {
  const row = element('webhook-template').content.cloneNode(true).firstElementChild
  row.dataset.id = received_id
  row.querySelector('.to').textContent = path
  row.querySelector('.from').textContent = headers['x-svc-id'] ?? 'without an id'
  row.querySelector('.status').textContent = verified ? 'signature verified' : 'signature not verified'
  row.querySelector('.status').dataset.outcome = verified ? 'good' : 'bad'
  row.querySelector('time').textContent = clock.format(new Date(received_at))
  row.querySelector('time').dateTime = received_at
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  row.querySelector('pre').textContent = [...lines, '', body].join('\n')
  return row
}

/** A message as the app shows it. Pressing a button answers in the recipient's place. */
function showBubble(row, { channel, to, from, buttons }) {
  row.classList.add('bubble')
  const list = row.querySelector('.buttons')
  list.hidden = buttons.length === 0
  for (const text of buttons) {
    const item = document.createElement('li')
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = text
    button.addEventListener('click', () => press(button, { channel, from: to, to: from, button: text }))
    item.append(button)
    list.append(item)
  }
}

async function press(button, inbound) {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch('inbound', { method: 'POST', headers, body: JSON.stringify(inbound) }).catch(
    () => undefined,
  )
  button.dataset.pressed = answer?.ok ? 'yes' : 'no'
}

/** What somebody is to type in stands out: the only number of 4 to 10 digits in a text that speaks of a code. */
function showCode(row, { text, subject = '' }) {
  const numbers = new Set(text.match(/(?<![\d+])\d{4,10}(?!\d)/g))
  if (numbers.size !== 1 || !/\bcodes?\b/i.test(`${subject} ${text}`)) return
  row.querySelector('.code').textContent = [...numbers][0]
  row.querySelector('.code').hidden = false
}

/** The HTML is fetched when somebody wants to see it, into a frame where nothing runs and nothing is loaded from outside. */
function showEmail(row, message) {
  const { subject, html, to, provider_message_id } = message
  row.querySelector('.subject').textContent = subject
  row.querySelector('.subject').hidden = false
  showParts(row, message)
  if (html === undefined) return
  const details = row.querySelector('.html')
  const frame = details.querySelector('iframe')
  details.hidden = false
  frame.title = `HTML of the email to ${to}`
  details.addEventListener('toggle', () => {
    if (details.open) frame.src = `messages/${encodeURIComponent(provider_message_id)}/html`
  })
}

/** Copies, addresses for answers, headers of the caller, and files. */
function showParts(row, { cc = [], bcc = [], reply_to = [], headers = {}, attachments = [] }) {
  const fileOf = ({ filename, content_type, size, content_id }) =>
    `${filename} (${[content_type, `${size} bytes`, content_id && `cid:${content_id}`].filter(Boolean).join(', ')})`
  const parts = { Cc: cc, Bcc: bcc, 'Reply to': reply_to, Files: attachments.map(fileOf) }
  const lines = [
    ...Object.entries(parts).flatMap(([name, list]) => (list.length > 0 ? [`${name}: ${list.join(', ')}`] : [])),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  row.querySelector('.parts').textContent = lines.join('\n')
  row.querySelector('.parts').hidden = lines.length === 0
}

function requestText({ provider_message_id, request }) {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return [`id: ${provider_message_id}`, '', ...headers, '', JSON.stringify(request.body, null, 2)].join('\n')
}

function statusOf({ status, error_code }) {
  return error_code ? `${status} ${error_code}` : status
}

/** Screen readers announce a status again whenever its text is set, so it is set only when it differs. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

function setConnection(state, text) {
  element('connection').dataset.state = state
  setText(element('connection'), text)
}

async function showLegend() {
  const { items, emails } = await (await fetch('behaviours')).json()
  for (const { ending, summary } of items) {
    explain('legend', /^\d+$/.test(ending) ? `…${ending}` : ending, summary)
  }
  for (const { local_part, summary } of emails) {
    explain('email-legend', /^\w+$/.test(local_part) ? `${local_part}@` : local_part, summary)
  }
}

function explain(list, recipient, summary) {
  const term = document.createElement('dt')
  const meaning = document.createElement('dd')
  term.textContent = recipient
  meaning.textContent = summary
  element(list).append(term, meaning)
}

filter.addEventListener('submit', (event) => event.preventDefault())
filter.addEventListener('input', refresh)
element('clear').addEventListener('click', async () => {
  await Promise.all(['messages', 'received'].map((path) => fetch(path, { method: 'DELETE' }).catch(() => undefined)))
  refresh()
})

showLegend()
refresh()
