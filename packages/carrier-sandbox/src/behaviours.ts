/** What a stand-in does with a message whose recipient asks for no other behaviour. */
const ordinary = { behaviour: 'delivered', summary: 'Sent, then delivered.' } as const

/** What the last four digits of a recipient's phone number ask for. Each carrier's folder implements it. */
const magicEndings = [
  { ending: '0002', behaviour: 'undelivered', summary: 'Sent, then undelivered with error 30003.' },
  { ending: '0003', behaviour: 'refused', summary: 'Refused with 400 and error 21211; no message is logged.' },
  { ending: '0004', behaviour: 'throttled', summary: '429 twice with Retry-After: 1, then sent and delivered.' },
  {
    ending: '0005',
    behaviour: 'unanswered',
    summary: 'Accepted, sent and delivered, but the request is never answered.',
  },
  { ending: '0006', behaviour: 'broken', summary: '503, always; no message is logged.' },
  {
    ending: '0007',
    behaviour: 'scrambled',
    summary: 'Callbacks twice and out of order: delivered, sent, delivered, sent.',
  },
  { ending: '0008', behaviour: 'silent', summary: 'Accepted, and no callback ever follows.' },
] as const

export type PhoneBehaviour = (typeof magicEndings)[number]['behaviour'] | typeof ordinary.behaviour

const behaviourByEnding = new Map<string, PhoneBehaviour>(
  magicEndings.map(({ ending, behaviour }) => [ending, behaviour]),
)

/** Every behaviour with its ending and a one-sentence description; the default is last. */
export const behaviours = [...magicEndings, { ending: 'any other', ...ordinary }]

/** The behaviour that a phone number in E.164 asks for by its last four digits. */
export function behaviourOfPhone(phone: string): PhoneBehaviour {
  return behaviourByEnding.get(phone.slice(-4)) ?? ordinary.behaviour
}

/** What the local part of a recipient's email address asks for, ignoring anything after a plus sign. */
const magicLocalParts = [
  { local_part: 'bounce', behaviour: 'bounced', summary: 'Sent, then a permanent bounce.' },
  { local_part: 'softbounce', behaviour: 'softBounced', summary: 'Sent, then a transient bounce.' },
  { local_part: 'complaint', behaviour: 'complained', summary: 'Sent and delivered, then a complaint.' },
  { local_part: 'delay', behaviour: 'delayed', summary: 'Sent, delayed, then delivered.' },
  { local_part: 'virus', behaviour: 'rejectedLater', summary: 'Accepted, then rejected for its content.' },
  { local_part: 'reject', behaviour: 'refused', summary: 'Refused with 400 MessageRejected; no message is logged.' },
  {
    local_part: 'throttle',
    behaviour: 'throttled',
    summary: '429 twice with Retry-After: 1, then sent and delivered.',
  },
  {
    local_part: 'timeout',
    behaviour: 'unanswered',
    summary: 'Accepted, sent and delivered, but the request is never answered.',
  },
  { local_part: 'fail', behaviour: 'broken', summary: '503, always; no message is logged.' },
  {
    local_part: 'duplicate',
    behaviour: 'scrambled',
    summary: 'Events twice and out of order: delivered, sent, delivered, sent.',
  },
  { local_part: 'silent', behaviour: 'silent', summary: 'Accepted, and no event ever follows.' },
] as const

export type EmailBehaviour = (typeof magicLocalParts)[number]['behaviour'] | typeof ordinary.behaviour

const behaviourByLocalPart = new Map<string, EmailBehaviour>(
  magicLocalParts.map(({ local_part, behaviour }) => [local_part, behaviour]),
)

/** Every behaviour of email with its local part and a one-sentence description; the default is last. */
export const emailBehaviours = [...magicLocalParts, { local_part: 'any other', ...ordinary }]

/** The behaviour that an email address asks for; letter case and anything after a plus sign are ignored. */
export function behaviourOfEmail(address: string): EmailBehaviour {
  const localPart = address.slice(0, address.lastIndexOf('@')).toLowerCase()
  return behaviourByLocalPart.get(localPart.split('+')[0] ?? '') ?? ordinary.behaviour
}
