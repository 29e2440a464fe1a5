/** What a stand-in does with a message whose recipient says nothing else. */
const ordinary = { behaviour: 'delivered', summary: 'Sent, then delivered.' } as const

/** What the last four digits of a recipient's phone number ask for. Each carrier's folder says how it does it. */
const magicEndings = [
  { ending: '0002', behaviour: 'undelivered', summary: 'Sent, then undelivered with error 30003.' },
  { ending: '0003', behaviour: 'refused', summary: 'Refused with 400 and error 21211; no message is logged.' },
  { ending: '0004', behaviour: 'throttled', summary: '429 twice with Retry-After: 1, then sent and delivered.' },
  {
    ending: '0005',
    behaviour: 'unanswered',
    summary: 'Accepted, sent and delivered, but the request is never answered.',
  },
  { ending: '0006', behaviour: 'broken', summary: '500, always; no message is logged.' },
  {
    ending: '0007',
    behaviour: 'scrambled',
    summary: 'Callbacks twice and out of order: delivered, sent, delivered, sent.',
  },
  { ending: '0008', behaviour: 'silent', summary: 'Accepted, and no callback ever follows.' },
] as const

export type Behaviour = (typeof magicEndings)[number]['behaviour'] | typeof ordinary.behaviour

const behaviourByEnding = new Map<string, Behaviour>(magicEndings.map(({ ending, behaviour }) => [ending, behaviour]))

/** Every behaviour with its ending and a sentence for people, the ordinary one last. */
export const behaviours = [...magicEndings, { ending: 'any other', ...ordinary }]

/** The behaviour that a phone number in E.164 asks for by its last four digits. */
export function behaviourOfPhone(phone: string): Behaviour {
  return behaviourByEnding.get(phone.slice(-4)) ?? ordinary.behaviour
}
