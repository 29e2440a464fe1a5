import { Frequency, type LinkAction } from '@notify/contracts'

/** The most changes that dispatch takes at a time. A page may show more topics. */
const mostChanges = 100

const keysOf = (form: URLSearchParams, name: string) =>
  form.getAll(name).filter((key) => /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/.test(key))

/** How often the messages of a topic come; an empty value stands for "as the event says". */
const frequencyIn = (value: string | undefined) => (value === '' ? null : Frequency.safeParse(value).data)

/**
 * Only what differs from what the page showed: another page or a mail program may have switched topics off since. What the form does
 * not say to have been shown is not switched on.
 */
function changesIn(form: URLSearchParams): LinkAction {
  const fields = new Map(form)
  const listed = keysOf(form, 'listed')
  const [checked, shownOff] = [new Set(keysOf(form, 'topic')), new Set(keysOf(form, 'shown_off'))]
  const frequencies = listed.flatMap((topic) => {
    const [shown, frequency] = [`shown_frequency.${topic}`, `frequency.${topic}`].map((name) =>
      frequencyIn(fields.get(name)),
    )
    return shown === undefined || frequency === undefined || frequency === shown ? [] : [{ topic, frequency }]
  })
  return {
    action: 'save',
    on: [...checked].filter((key) => shownOff.has(key)).slice(0, mostChanges),
    off: listed.filter((key) => !checked.has(key) && !shownOff.has(key)).slice(0, mostChanges),
    frequencies: frequencies.slice(0, mostChanges),
  }
}

/**
 * Reads what was posted: the page's forms, or what mail programs post (RFC 8058, 3.1), which may also be multipart. A body of
 * another form unsubscribes, too: a client that only reads a link does not post to it.
 */
export function readChoice(body: Buffer): LinkAction {
  const form = new URLSearchParams(body.toString('utf8'))
  switch (form.get('action')) {
    case 'stop_all':
      return { action: 'stop_all' }
    case 'start_again':
      return { action: 'start_again' }
    case 'save':
      return changesIn(form)
    default:
      return { action: 'unsubscribe' }
  }
}
