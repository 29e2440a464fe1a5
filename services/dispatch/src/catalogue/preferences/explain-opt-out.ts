import { Problem } from '@notify/service-kit'
import type { OptOut } from './opted-out-because.ts'

/** The problem for a recipient who gets no messages of a topic. */
export function optedOutRecipient(optOut: OptOut, { topic, channel }: { topic: string; channel: string }): Problem {
  const [, ofTopic, ofChannel] = optOut.split(':')
  const because =
    ofChannel === undefined
      ? 'it is off until the recipient switches it on'
      : `the recipient switched off ${ofTopic === '*' ? 'every topic' : ofTopic} for ${ofChannel === '*' ? 'every channel' : ofChannel}`
  return new Problem('recipient_opted_out', `No ${channel} message of the topic ${topic} is sent: ${because}`, {
    errors: [{ path: 'recipient', message: `opted out of ${topic} for ${channel}: ${because}` }],
  })
}
