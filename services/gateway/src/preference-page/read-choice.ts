import { Frequency, type LinkAction } from '@notify/contracts'

/** A form may have more fields than there can be topics; the rest is left out. */
const mostTopics = 100

const keysOf = (form: URLSearchParams, name: string) =>
  form
    .getAll(name)
    .filter((key) => /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/.test(key))
    .slice(0, mostTopics)

/** How often the messages of a topic come; an empty value stands for "as the event says". */
const frequencyIn = (value: string | undefined) => (value === '' ? null : Frequency.safeParse(value).data)

/**
 * Only what differs from what the page showed: another page or a mail program may have switched topics off since. What the form does
 * not say to have been shown is not switched on.
 */
function changesIn(form: URLSearchParams): LinkAction {
  const fields = new Map(form)
  const [listed, checked, shownOff] = [keysOf(form, 'listed'), keysOf(form, 'topic'), keysOf(form, 'shown_off')]
  return {
    action: 'save',
    on: checked.filter((key) => shownOff.includes(key)),
    off: listed.filter((key) => !checked.includes(key) && !shownOff.includes(key)),
    frequencies: listed.flatMap((topic) => {
      const [shown, frequency] = [`shown_frequency.${topic}`, `frequency.${topic}`].map((name) =>
        frequencyIn(fields.get(name)),
      )
      return shown === undefined || frequency === undefined || frequency === shown ? [] : [{ topic, frequency }]
    }),
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
